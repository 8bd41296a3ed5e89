"""Who asks for every branch or person that fulfils some conditions is told each, and nothing else."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import OK
from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.small_shop import BOSS, CLERK, MUG, RECORDS, STAFF, STORE, STORE_2, TENT

FAR, QUAY = "/proc/stores/store-far.json", "/proc/stores/store-quay.json"
MORE = {
    FAR: {**RECORDS[STORE], "id": "store-far", "name": "Kade Brugge Far", "city": "Brugge", "inventory": []},
    QUAY: {**RECORDS[STORE], "id": "store-quay", "name": "Kade Gent Quay"},
}
TENT_ROW = {"sku": "FJ-TNT-TARN", "on_hand": 2, "reserved": 2}


@pytest.mark.parametrize(
    ("question", "members", "right", "wrong"),
    [
        ("Which stores in Gent have FJ-TNT-TARN?", {STORE, QUAY}, "North and Quay have it.", "Only North has it."),
        (
            "Name every store in Gent that stocks the Fjell Tarn tent.",
            {STORE, QUAY},
            "Kade Gent Quay and Kade Gent North; South is out of it.",
            "North, Quay and South.",
        ),
        (
            "All branches where FJ-TNT-TARN is available today, please.",
            {STORE, QUAY},
            "store-north, store-quay",
            "store-north, store-quay, store-far",
        ),
        (
            "List each branch that has FJ-TNT-TARN.",
            {STORE, QUAY},
            "It is at the Quay. It is also at North.",
            "It is at the Quay.",
        ),
        ("Which branches are open today?", {STORE, QUAY, FAR}, "Far, North and Quay.", "North and Quay."),
        ("Which branches in Gent are open?", {STORE, QUAY}, "Those are North and Quay.", "North, South and Quay."),
        ("Which of our stores in Brugge are open?", {FAR}, "Kade Brugge Far is.", "None is open."),
        ("What stores are there in Gent?", {STORE, STORE_2, QUAY}, "North, South and Quay", "North and South"),
        ("Which stores in Brugge have FJ-TNT-TARN?", set(), "None of them.", "Kade Brugge Far"),
        (
            "Which open outlets in Gent have FJ-TNT-TARN?",
            {STORE, QUAY},
            "The ones at North and Quay.",
            "The ones at North, Quay and South.",
        ),
    ],
)
def test_every_branch_that_fulfils_the_conditions_is_named_and_cited(
    question: str, members: set[str], right: str, wrong: str
) -> None:
    found = asked(question, records={**MORE, STORE_2: {"inventory": [TENT_ROW]}})
    assert (found.outcome, found.cited) == (OK, members)
    assert found.states(right)
    assert not found.states(wrong)


def test_what_was_looked_at_may_be_cited_as_well() -> None:
    found = asked("Which stores in Gent have FJ-TNT-TARN?", records=MORE)
    assert found.tolerated == {STORE, STORE_2, QUAY, TENT}
    assert found.cited == {STORE, STORE_2, QUAY}


def test_of_two_products_that_are_described_alike_none_is_certain() -> None:
    tin = {"/proc/products/FJ-MUG-TIN.json": {**RECORDS[MUG], "sku": "FJ-MUG-TIN"}}
    question = "Which stores in Gent have the Fjell Skerry mug?"
    assert asked(question, records=MORE).cited == {STORE, QUAY}
    assert asked(question, records={**MORE, **tin}).states is None


@pytest.mark.parametrize(("more", "is_certain"), [("we ", True), ("our ", False)])
def test_a_request_of_up_to_300_characters_is_for_a_set(more: str, is_certain: bool) -> None:
    found = asked("Please " * 37 + more + "which stores in Gent have FJ-TNT-TARN?", records=MORE)
    assert (found is not None and found.states is not None) is is_certain


@pytest.mark.parametrize(
    ("question", "members", "right", "wrong"),
    [
        ("Which employees have the role `clerk`?", {CLERK, BOSS}, "An Peeters and Bo Claes", "An Peeters"),
        ("Name all staff at North with the role `clerk`.", {CLERK}, "An Peeters is one.", "Bo Claes"),
        ("List every employee who has the role `boss`.", {BOSS}, "Only Bo Claes.", "emp-1 and emp-2"),
    ],
)
def test_staff_are_told_who_has_a_role(question: str, members: set[str], right: str, wrong: str) -> None:
    found = asked(question, STAFF)
    assert (found.outcome, found.cited) == (OK, members)
    assert found.states(right)
    assert not found.states(wrong)


@pytest.mark.parametrize(
    "question",
    [
        "Which stores in Gent have a parking lot?",
        "Which store in Gent has FJ-TNT-TARN?",
        "Is there a store in Gent that has FJ-TNT-TARN?",
        "Which stores in Gent have no FJ-TNT-TARN?",
        "Do all stores in Gent have FJ-TNT-TARN?",
        "In Gent, do any stores have FJ-TNT-TARN?",
        "Which stores in Gent have stock?",
        "Which stores in Gent have FJ-TNT-TARN; which are open?",
        "Which products do stores in Gent have?",
        "Which products are there?",
        "?",
        "Which stores in Gent have 3 of FJ-TNT-TARN?",
        "Which stores but South have FJ-TNT-TARN?",
        "Which stores in Gent or Brugge have FJ-TNT-TARN?",
        "Which stores in Gent, Brugge have FJ-TNT-TARN?",
        "Which stores in Gent have the mug?",
        "Which stores in Gent have Fjell things?",
        "Which stores are there?",
        "Which stores in Gent have FJ-TNT-TARN for EUR 90?",
        "Which stores in Gent have FJ-TNT-TARN for basket-1?",
        "Which stores and employees have FJ-TNT-TARN?",
        "Which stores in Gent have 'FJ-TNT-TARN'? Say \"yes\" first.",
        "Which employees have the role `clerk`?",
        "Which stores in Gent have FJ-TNT-TARN?" + " please" * 40,
    ],
)
def test_what_says_more_or_less_is_no_certain_set(question: str) -> None:
    found = asked(question, records=MORE)
    assert found is None or found.states is None


@pytest.mark.parametrize(
    "question",
    [
        "Which employees have the role `waiter`?",
        "Who has the role `clerk`?",
        "Which employees have the role `clerk` or `boss`?",
        "Which employees with the role `clerk` are tall?",
        "Which employees at the North shop by the river have the role `clerk`?",
    ],
)
def test_people_are_certain_by_one_role_and_one_place_alone(question: str) -> None:
    found = asked(question, STAFF)
    assert found is None or found.states is None


@pytest.mark.parametrize(("number", "is_certain"), [(19, True), (20, False)])
def test_up_to_twenty_branches_are_read(number: int, is_certain: bool) -> None:
    more = {
        f"/proc/stores/store-{each}.json": {**RECORDS[STORE], "id": f"store-{each}", "name": f"Kade Gent P{each}"}
        for each in range(1, number)
    }
    found = asked("Which stores in Gent have FJ-TNT-TARN?", records=more)
    assert (found is not None and found.states is not None) is is_certain


def test_who_has_no_name_is_called_by_the_id() -> None:
    found = asked("Which employees have the role `boss`?", STAFF, records={BOSS: {"name": "Bo"}})
    assert found.cited == {BOSS}
    assert found.states("emp-2")
    assert not found.states("Bo")
