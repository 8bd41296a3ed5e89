import time

import pytest

from gates.facts import compound_stem, facts_of, is_state_like
from gates.facts.vocabulary import MAX_FIELDS
from tests.gates.facts.read_texts import evidence_with, ran

LOAN = {"id": "loan-1", "state": "lent", "color": "green", "shelf_id": "upper", "is_new": True}
RULES = """A loan moves `reserved` > `lent` > `returned`, or ends as `lost`.

Run `/bin/lend take <loan_id>`. Its `color` and `shelf_id` mean nothing; `/bin/look` shows it."""


def states(read: dict[str, object]) -> dict[str, frozenset[str]]:
    return dict(facts_of(evidence_with(read)).states)


def test_a_document_tells_which_field_holds_states_and_which_there_are() -> None:
    found = states({"/loans/a/loan-1.json": LOAN, "/docs/loans.md": RULES})
    assert found == {"/loans/a state": frozenset(("reserved", "lent", "returned", "lost"))}


def test_a_field_that_changed_holds_states() -> None:
    assert states({"/loans/a/loan-1.json": [LOAN, {**LOAN, "state": "returned"}]}) == {
        "/loans/a state": frozenset(("lent", "returned"))
    }


def test_a_value_after_the_fields_name_tells_it_too() -> None:
    text = "Anybody may borrow it if its state is `lent`, and its shelf `upper`."
    assert states({"/loans/a/loan-1.json": LOAN, "/docs/loans.md": text}) == {"/loans/a state": frozenset(("lent",))}


def test_the_value_of_another_field_is_no_state_of_this_one() -> None:
    text = "It is `lent`, `green` or `returned`."
    found = states({"/loans/a/loan-1.json": LOAN, "/docs/loans.md": text})
    assert found["/loans/a state"] == frozenset(("lent", "returned"))


def test_without_a_document_or_a_change_nothing_is_a_state() -> None:
    assert states({"/loans/a/loan-1.json": LOAN, "/docs/loans.md": "Loans are lent."}) == {}


@pytest.mark.parametrize("value", ["open", "checked_out", "in-progress", "waiting_for_the_bank"])
def test_states_are_lower_case_words(value: str) -> None:
    assert is_state_like(value)


@pytest.mark.parametrize("value", ["Open", "2027-01-01", "on", "true", "a b", "cust-0042", "x@y.z", "EUR", "a" * 50])
def test_other_values_are_none(value: str) -> None:
    assert not is_state_like(value)


def test_verbs_are_of_tools_that_may_change_something() -> None:
    tools = (ran("/bin/lend", "take", "loan-1", kind="changes"), ran("/bin/look", "all"))
    verbs = facts_of(evidence_with({"/docs/loans.md": RULES + " See `/bin/look all <x>`."}, ran=tools)).verbs
    assert verbs == {compound_stem("lend"): "/bin/lend", compound_stem("take"): "/bin/lend"}


@pytest.mark.parametrize(
    "text", ["`aaa` " * 20_000, "state" + " " * 100_000, "`/b" + "a" * 100_000, "status is " * 9_000]
)
def test_hostile_documents_take_bounded_time(text: str) -> None:
    facts = facts_of(evidence_with({"/docs/a.md": text, "/loans/a/loan-1.json": LOAN}))
    began = time.process_time()
    assert facts.states is not None
    assert facts.verbs is not None
    assert time.process_time() - began < 5


@pytest.mark.parametrize(("chars", "is_one"), [(40, True), (41, False)])
def test_a_state_has_forty_characters_at_most(chars: int, is_one: bool) -> None:
    assert is_state_like("a" * chars) is is_one


@pytest.mark.parametrize(
    ("record", "text", "expected"),
    [
        (LOAN, "It is `lent` or `late`.", {"lent", "late"}),
        (LOAN, "Whatever is `lent` comes back.", None),
        (LOAN, "Lists show `lent`, `reserved` and `shelf_id`.", {"lent", "reserved"}),
        (LOAN, "Lists show `lent`," + " " * 23 + "`late`.", {"lent", "late"}),
        (LOAN, "Lists show `lent`," + " " * 24 + "`late`.", None),
        (LOAN, "It is `new`, `late`, or ends as `lent`.", None),
        (LOAN, "It is `new`, `late`, `gone`, or ends as `lent`.", {"lent", "new", "late", "gone"}),
        (LOAN, "It is `new`, `late`, `gone`, and whatever it may be `lent`.", None),
        ({**LOAN, "state": ["lent", "late"]}, "It is `lent` or `late`.", None),
        ({**LOAN, "state": "a_b_c_d_e_f"}, "Its state is `a_b_c_d_e_f`.", None),
        ({**LOAN, "state": "it", "loan_id": "lent"}, "It is `lent` or `late`.", None),
        ({**LOAN, "reserved": "late"}, "If its state is `reserved` but now `late`, wait.", None),
    ],
)
def test_a_list_of_words_marked_as_code_tells_states(record: object, text: str, expected: set[str] | None) -> None:
    found = states({"/loans/a/loan-1.json": record, "/docs/loans.md": text})
    assert set().union(*found.values()) == (expected or set())


def test_a_list_of_states_has_a_hundred_at_most() -> None:
    words = ["".join(chr(97 + int(digit)) for digit in f"{number:03}") for number in range(100)]
    for last, is_state in ((words[-1], True), ("lent", False)):
        text = ", ".join(f"`{each}`" for each in (*words, "lent"))
        assert bool(states({"/loans/a/loan-1.json": {"id": "loan-1", "state": last}, "/d/a.md": text})) is is_state


def test_each_document_tells_the_names_of_fields_anew() -> None:
    long = "Nothing is said of it in so many words, or its color is `green` after all."
    found = states({"/loans/a/loan-1.json": LOAN, "/docs/a.md": long, "/docs/b.md": "State: `lent`"})
    assert set(found) == {"/loans/a color"}
    found = states({"/loans/a/loan-1.json": LOAN, "/docs/a.md": long, "/docs/b.md": "Its state is `lent`"})
    assert set(found) == {"/loans/a color", "/loans/a state"}


def test_a_document_tells_what_a_tool_without_further_words_results_in() -> None:
    facts = facts_of(
        evidence_with({"/docs/a.md": "`/bin/close <id>` makes it `closed`; `/bin/lend take <id>` `lent`."})
    )
    close, take = compound_stem("close"), compound_stem("take")
    assert facts.results == {close: {compound_stem("closed")}, take: {compound_stem("lent")}}


def test_what_a_tool_was_given_is_a_verb_only_if_it_is_a_word() -> None:
    tools = (ran("/bin/lend", "loan-1", kind="changes"), ran("/bin/keep", "all", kind="changes"))
    assert facts_of(evidence_with(ran=tools)).verbs.keys() == set(map(compound_stem, ("lend", "keep", "all")))


def test_fields_beyond_a_bound_hold_no_states_and_those_within_it_take_further_values() -> None:
    fields = {
        f"/loans/a/loan-{number}.json": {f"k{number}x{each}": "lent" for each in range(MAX_FIELDS)}
        for number in range(10)
    }
    last = {"/loans/a/loan-11.json": {"k0x0": "late", "new": "gone"}}
    found = states({**fields, **last, "/docs/a.md": "It is `late` or `due`. Whatever is no more is `gone` or `away`."})
    assert set(found) == {"/loans/a k0x0"}
