"""An answer about all records in one state names each that was read in it."""

from __future__ import annotations

import pytest

from gates import Case
from gates.checks.gate6_outcome_class import judge_outcome_class
from gates.claims import fault_of_named_class
from gates.types import Change, Evidence
from tests.gates.claims.lending import LOAN, OTHER, desk, loan, other_loan, says

MINE = {
    f"/desk/loans/reader-7/loan-{number}.json": {**loan(state), "id": f"loan-{number}"}
    for number, state in ((1, "reserved"), (3, "reserved"), (4, "returned"), (5, "reserved"))
}
THIRD, FIFTH = (f"/desk/loans/reader-7/loan-{number}.json" for number in (3, 5))
SEEN = desk({**MINE, OTHER: other_loan(), "/desk/books/book-3.json": {"id": "book-3", "state": "worn"}})
PLACES = ("Gent", "Gent", "Gent", "Brugge")
WHICH = "Which of my loans are reserved?"


def fault(answer: str, instruction: str = WHICH, cites: tuple[str, ...] = (), seen: Evidence = SEEN) -> str:
    return fault_of_named_class(says(answer, cites=cites), seen, Case(instruction))


@pytest.mark.parametrize(
    "instruction",
    [
        WHICH,
        "List all my reserved loans.",
        "Reserved loans",
        "reserved: which loans?".replace(":", ","),
        "My loan reserved",
    ],
)
def test_who_names_some_names_all_in_that_state(instruction: str) -> None:
    found = fault("loan-1 and loan-3", instruction)
    assert f"`{FIFTH}`" in found
    assert "loan-4" not in found
    assert "loan-2" not in found
    assert "loan-1" not in found


@pytest.mark.parametrize(
    "instruction",
    ["Which loans in Gent are reserved?", "All loans in Gent", "List Gent loans", "My Gent loans"],
)
def test_who_names_some_names_all_at_that_place(instruction: str) -> None:
    places = {path: {**held, "city": city} for (path, held), city in zip(MINE.items(), PLACES, strict=True)}
    found = fault("loan-1", instruction, seen=desk({**places, OTHER: other_loan()}))
    assert f"`{THIRD}`" in found
    assert "loan-5" not in found


@pytest.mark.parametrize(
    "instruction",
    ["Which loans in Gent and Brugge are mine at nine?", "Which loans are in Ghent?", "Which are in Gent?"],
)
def test_what_no_record_holds_is_no_place(instruction: str) -> None:
    places = {path: {**held, "city": city} for (path, held), city in zip(MINE.items(), PLACES, strict=True)}
    assert fault("loan-1", instruction, seen=desk({**places, OTHER: other_loan()})) == ""


@pytest.mark.parametrize(
    ("answer", "cites"),
    [
        ("loan-1, loan-3 and loan-5", ()),
        ("loan-1 and loan-3", (FIFTH,)),
        ("loan-4", ()),
        ("There are several of them.", ()),
        ("Yes, loan-1 is.", ()),
        ("Ja: loan-1.", ()),
    ],
)
def test_a_whole_class_no_class_and_a_decision_pass(answer: str, cites: tuple[str, ...]) -> None:
    assert fault(answer, cites=cites) == ""


@pytest.mark.parametrize(
    "instruction",
    [
        "Which two of my loans are reserved?",
        "Which of my loans are reserved since March?",
        "Which of my loans are reserved for 3 days?",
        "Which of my loans are `reserved`?",
        "Which of my 'loans' are reserved?",
        "Which of my loans are reserved: new ones?",
        "Which of my loans are reserved or returned?",
        "Which are reserved?",
        "Which are my loans?",
        "Which of my loans xy are reserved?",
        "",
        "Which of my loans are not reserved?",
        "Which of my loans are due?",
        "Which of my books are reserved?",
        f"{WHICH} " + "I " * 150,
    ],
)
def test_what_says_more_or_less_is_no_class(instruction: str) -> None:
    assert fault("loan-1 and loan-3", instruction) == ""


def test_a_request_of_three_hundred_characters_is_read() -> None:
    assert fault("loan-1", WHICH + " " * (300 - len(WHICH)))


def test_a_state_that_was_read_later_counts() -> None:
    moved = desk({**MINE, FIFTH: [{**loan(), "id": "loan-5"}, {**loan("returned"), "id": "loan-5"}]})
    assert fault("loan-1 and loan-3", seen=moved) == ""


def test_many_that_are_missing_are_told_by_five() -> None:
    many = {f"/desk/loans/reader-7/loan-{number}.json": {**loan(), "id": f"loan-{number}"} for number in range(10, 18)}
    assert "and 2 more" in fault("loan-10", seen=desk(many))
    assert "more" not in fault("loan-10 loan-11 loan-12", seen=desk(many)).partition("read in")[0]


def test_it_applies_to_an_ok_with_a_trace_and_without_a_change() -> None:
    some = says("loan-1", "OUTCOME_NONE_CLARIFICATION")
    assert fault_of_named_class(some, SEEN, Case(WHICH)) == ""
    assert fault("loan-1", seen=Evidence()) == ""
    assert fault("loan-1", seen=desk(MINE, changes=(Change(LOAN, "write"),))) == ""
    assert judge_outcome_class(says("loan-1"), SEEN, Case(WHICH)).rejects
    assert not judge_outcome_class(says("loan-1", cites=(THIRD, FIFTH)), SEEN, Case(WHICH)).rejects
