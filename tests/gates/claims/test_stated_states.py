import pytest

from gates.claims import faults_of_stated_states
from gates.types import Evidence
from tests.gates.claims.lending import BOOK, LOAN, OTHER, asked, desk, loan, other_loan, says

HANDED = (("hand-over", "loan-1"),)


@pytest.mark.parametrize(
    "answer",
    [
        "loan-1 is handed over.",
        "loan-1: handed_over",
        "We are happy to say that the state of loan-1 reads handed_over by now.",
        '{"id": "loan-1", "state": "handed_over"}',
        "Returned: loan-1.",
        "loan-1 has been lost.",
        f"{LOAN} is returned",
    ],
)
def test_a_state_that_the_record_is_not_in_is_rejected_in_any_voice(answer: str) -> None:
    (fault,) = faults_of_stated_states(says(answer), desk(), asked())
    assert f"`{LOAN}`" in fault
    assert "reserved" not in fault
    assert "before it was changed" not in fault


@pytest.mark.parametrize(
    "answer",
    [
        "loan-1 is reserved.",
        "loan-1 is not handed over yet; it is reserved.",
        "loan-1 has not been returned.",
        "loan-1 can be returned tomorrow.",
        "loan-1 was taken care of as requested.",
        "If loan-1 is lost, tell us.",
        "loan-9 is lost.",
        "The book is lost.",
        "Handing over loan-1 was refused.",
    ],
)
def test_true_denied_and_foreseen_states_pass(answer: str) -> None:
    assert faults_of_stated_states(says(answer), desk(), asked()) == []


@pytest.mark.parametrize("answer", ["loan-1 is still reserved.", "loan-1: reserved", "The desk has loan-1, reserved."])
def test_the_state_before_a_change_is_stale_after_it(answer: str) -> None:
    evidence = desk({LOAN: [loan(), loan("handed_over")]}, did=HANDED)
    (fault,) = faults_of_stated_states(says(answer), evidence, asked())
    assert "before it was changed" in fault


@pytest.mark.parametrize(
    "answer",
    [
        "loan-1 is handed over.",
        "Your reserved loan-1 has been handed over.",
        "The reserved loan, loan-1, is with you now.",
        "loan-1 went from reserved to handed_over.",
        "Reserved was loan-1.",
    ],
)
def test_the_state_after_a_change_passes_and_the_earlier_one_as_a_description(answer: str) -> None:
    evidence = desk({LOAN: [loan(), loan("handed_over")]}, did=HANDED)
    assert faults_of_stated_states(says(answer), evidence, asked()) == []


def test_what_the_tool_printed_of_a_record_is_its_state_and_what_it_was_told_is_done() -> None:
    evidence = desk(did=HANDED, printed="handed_over loan-1\n")
    assert faults_of_stated_states(says("loan-1 is handed over."), evidence, asked()) == []
    assert faults_of_stated_states(says("loan-1 is reserved."), evidence, asked()) != []
    silent = desk(did=HANDED, printed="ok\n")
    assert faults_of_stated_states(says("loan-1 is handed over."), silent, asked()) == []
    assert faults_of_stated_states(says("The state of loan-1 is handed over."), silent, asked()) == []
    assert faults_of_stated_states(says("loan-1 is lost."), silent, asked()) != []


def test_what_was_done_to_one_record_is_not_said_of_another() -> None:
    evidence = desk({LOAN: loan(), OTHER: other_loan()}, did=(("hand-over", "loan-2"),), printed="handed_over loan-2\n")
    assert faults_of_stated_states(says("loan-1 is handed over."), evidence, asked()) != []
    assert faults_of_stated_states(says("loan-2 is handed over."), evidence, asked()) == []


def test_the_state_of_a_record_that_is_tied_to_the_named_one_passes() -> None:
    evidence = desk({LOAN: loan("returned"), BOOK: {"id": "book-3", "state": "shelved"}})
    assert faults_of_stated_states(says("book-3 is returned."), evidence, asked()) == []
    assert faults_of_stated_states(says("book-3 is lost."), evidence, asked()) != []


def test_without_a_trace_without_the_record_and_for_refusals_it_does_not_apply() -> None:
    assert faults_of_stated_states(says("loan-1 is lost."), Evidence(), asked()) == []
    assert faults_of_stated_states(says("loan-1 is lost."), desk({}, listed=(LOAN,)), asked()) == []
    assert faults_of_stated_states(says("loan-1 is lost.", "OUTCOME_NONE_UNSUPPORTED"), desk(), asked()) == []


TAKEN = "/desk/loans/reader-7/loan-1.json"


@pytest.mark.parametrize(
    ("answer", "is_stale"),
    [
        ("The state of loan-1 is lend.", True),
        ('{"id": "loan-1", "state": "lend"}', True),
        ("loan-1: state=lend", True),
        ("I did lend loan-1.", False),
        ("As to loan-1, I did lend it.", False),
        ("loan-1 was in the state lend and is now handed_over.", False),
        ("loan-1 was checked by its state, and I could lend it.", False),
    ],
)
def test_a_state_before_that_has_the_name_of_the_deed_is_stale_as_a_fields_value_alone(
    answer: str, is_stale: bool
) -> None:
    seen = desk({TAKEN: [loan("lend"), loan("handed_over")]}, did=(("hand-over", "loan-1"),))
    assert bool(faults_of_stated_states(says(answer), seen, asked())) is is_stale


def test_of_a_record_whose_state_is_not_known_nothing_is_false() -> None:
    seen = desk({LOAN: loan("Unclear"), OTHER: other_loan()})
    assert faults_of_stated_states(says("loan-1 is lost."), seen, asked()) == []
    assert faults_of_stated_states(says("loan-2 is lost."), seen, asked())
