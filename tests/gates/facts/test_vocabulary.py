import time

import pytest

from gates.facts import compound_stem, facts_of, is_state_like
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
