from dataclasses import replace

import pytest

from gates.claims import fault_of_changed_records
from gates.types import Change, Evidence, SeenText, Touch
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


def test_a_further_record_is_changed_only_if_the_answer_owns_up_to_it() -> None:
    evidence = desk({LOAN: loan(), OTHER: other_loan()}, did=(("hand-over", "loan-1"), *TO_OTHER))
    assert "`loan-2`" in fault_of_changed_records(DONE, evidence, asked("Hand over loan-1."))
    owned = says("loan-1 is handed over. By mistake, loan-2 was handed over as well.")
    assert fault_of_changed_records(owned, evidence, asked("Hand over loan-1.")) == ""


NOTE = Change("/notes/today.txt", "write")
HAND_OVER = (("hand-over", "loan-1"),)


@pytest.mark.parametrize(
    ("instruction", "did", "changes", "fault"),
    [
        ("Hand over loan-1.", HAND_OVER, (NOTE,), "`/notes/today.txt`"),
        ("Hand over loan-1 and leave me a note.", HAND_OVER, (NOTE,), ""),
        ("Write the loans to /out/list.csv.", (), (NOTE,), "`/notes/today.txt`"),
        ("Write the loans to /notes/today.txt.", (), (NOTE,), ""),
        ("Write the loans to /notes.", (), (NOTE,), ""),
        ("Hand in what is due.", (), (NOTE,), ""),
        ("How many loans are due? Answer with the number only.", (), (NOTE,), "`/notes/today.txt`"),
        ("How many loans are due? Answer with the number only.", HAND_OVER, (), "`loan-1`"),
        ("When is loan-1 due? Answer as YYYY-MM-DD only.", HAND_OVER, (), "`loan-1`"),
        ("How many days is it late once you lend loan-1? Number only.", HAND_OVER, (), ""),
    ],
)
def test_a_change_that_the_request_does_not_speak_of_is_needless(
    instruction: str, did: tuple[tuple[str, ...], ...], changes: tuple[Change, ...], fault: str
) -> None:
    found = fault_of_changed_records(DONE, desk(did=did, changes=changes), asked(instruction))
    assert fault in found
    assert bool(found) is bool(fault)


def test_a_place_that_a_document_names_and_what_was_undone_pass() -> None:
    documented = desk({LOAN: loan(), "/docs/desk.md": "Notes go to /notes."}, did=HAND_OVER, changes=(NOTE,))
    assert fault_of_changed_records(DONE, documented, asked("Hand over loan-1.")) == ""
    gone = replace(documented, changes=(*documented.changes, Change(NOTE.path, "delete")))
    own = Touch(NOTE.path, frozenset({"write", "delete"}), (SeenText("x", is_proof=False),))
    seen = replace(gone, touches={LOAN: gone.touches[LOAN], NOTE.path: own})
    assert fault_of_changed_records(DONE, seen, asked("Hand over loan-1.")) == ""


def test_a_record_that_is_also_written_with_nothing_that_was_asked_for_is_needless() -> None:
    for text, is_needless in (('{"id": "loan-1", "note": "hello"}', True), ('{"id": "loan-1", "note": "gift"}', False)):
        evidence = desk(did=HAND_OVER, changes=(Change(LOAN, "write"),))
        first = evidence.touches[LOAN].seen
        written = Touch(LOAN, frozenset({"read", "write"}), (*first, SeenText(text, is_proof=False)))
        seen = replace(evidence, touches={**evidence.touches, LOAN: written})
        assert bool(fault_of_changed_records(DONE, seen, asked("Hand over loan-1 as a gift."))) is is_needless


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
