from gates.claims import fault_of_changed_records
from gates.types import Change, Evidence
from tests.gates.claims.lending import BOOK, LOAN, OTHER, asked, desk, loan, other_loan, says

DONE = says("Done.")
TO_OTHER = (("hand-over", "loan-2"),)


def test_a_deed_on_another_record_than_the_named_one_is_rejected() -> None:
    both = desk({LOAN: loan(), OTHER: other_loan()}, did=TO_OTHER)
    unread = desk({LOAN: loan()}, did=TO_OTHER, listed=(OTHER,))
    for evidence in (both, unread):
        fault = fault_of_changed_records(DONE, evidence, asked("Hand over loan-1."))
        assert "`loan-2`" in fault
        assert "`loan-1`" in fault


def test_the_named_record_and_one_that_is_tied_to_it_may_be_changed() -> None:
    evidence = desk({LOAN: loan(), BOOK: {"id": "book-3"}}, did=(("hand-over", "LOAN-1"),))
    assert fault_of_changed_records(DONE, evidence, asked("Hand over loan-1.")) == ""
    assert fault_of_changed_records(DONE, evidence, asked("Hand over the loan of book-3.")) == ""


def test_one_right_change_among_several_suffices() -> None:
    evidence = desk({LOAN: loan(), OTHER: other_loan()}, did=(("hand-over", "loan-1"), *TO_OTHER))
    assert fault_of_changed_records(DONE, evidence, asked("Hand over loan-1.")) == ""


def test_the_answer_names_it_where_the_instruction_does_not() -> None:
    evidence = desk({LOAN: loan(), OTHER: other_loan()}, did=TO_OTHER)
    assert fault_of_changed_records(says("loan-1 is with you."), evidence, asked("Hand over my loan."))
    assert fault_of_changed_records(says("loan-2 is with you."), evidence, asked("Hand over my loan.")) == ""
    assert fault_of_changed_records(DONE, evidence, asked("Hand over my loan.")) == ""


def test_a_written_record_counts_and_another_file_tells_nothing() -> None:
    written = desk({LOAN: loan(), OTHER: other_loan()}, changes=(Change(OTHER, "write"),))
    assert fault_of_changed_records(DONE, written, asked("Correct loan-1."))
    exported = desk({LOAN: loan()}, changes=(Change("/out/list.csv", "write"),))
    assert fault_of_changed_records(DONE, exported, asked("Export loan-1.")) == ""


def test_without_changes_or_for_a_refusal_it_does_not_apply() -> None:
    assert fault_of_changed_records(DONE, Evidence(), asked()) == ""
    evidence = desk({LOAN: loan(), OTHER: other_loan()}, did=TO_OTHER)
    assert fault_of_changed_records(says("No.", "OUTCOME_NONE_UNSUPPORTED"), evidence, asked()) == ""
