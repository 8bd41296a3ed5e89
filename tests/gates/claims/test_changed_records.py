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
        ("When is loan-1 due? Answer as YYYY-MM-DD only.", (("hand-over", "now"),), (), ""),
        ("What is the `state` of it?", HAND_OVER, (), "`loan-1`"),
        ("The `state` of it.", HAND_OVER, (), ""),
        ("What is the state of it?", HAND_OVER, (), ""),
        ("Lend it and what is its `state`?", HAND_OVER, (), ""),
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


KEY = "/desk/keys/main_key.json"
ID_ONLY = "The answer must be the id only."


@pytest.mark.parametrize(
    ("instruction", "is_needless"),
    [
        (f"Loan-1 goes out. {ID_ONLY}", False),
        (f"Loan-1? {ID_ONLY}", False),
        (f"Loan-1 has its `due`. {ID_ONLY}", False),
        (f"The `due` of loan-1? {ID_ONLY}", True),
        (f"Which book is in loan-1. {ID_ONLY}", True),
        ("Loan-1 goes out. The answer must be a date as YYYY-MM-DD only.", True),
        ("Cancel the hold on loan-1. Answer with the number of days only.", False),
        ("Tell of loan-1. Answer with the number only. Reply as YYYY-MM-DD only.", False),
    ],
)
def test_a_request_wants_a_value_if_it_asks_for_a_form_and_orders_nothing(instruction: str, is_needless: bool) -> None:
    found = fault_of_changed_records(DONE, desk(did=HAND_OVER), asked(instruction))
    assert ("orders nothing" in found) is is_needless
    assert bool(found) is is_needless


def test_a_written_record_is_named_by_its_path_where_a_value_is_wanted() -> None:
    written = desk(changes=(Change(LOAN, "write"),))
    found = fault_of_changed_records(DONE, written, asked("When is loan-1 due? Answer as YYYY-MM-DD only."))
    assert f"`{LOAN}`" in found


@pytest.mark.parametrize(
    ("instruction", "did", "read", "fault"),
    [
        ("Hand over loan-1, and leave loan-2 alone.", ("loan-1",), {LOAN: loan(), OTHER: other_loan()}, ""),
        ("Hand over loan-1.", ("loan-2",), {OTHER: other_loan()}, "`loan-2`"),
        ("Hand over loan-1.", ("loan-1",), {}, ""),
        ("Hand over loan-1.", ("loan-9",), {LOAN: loan()}, "`loan-9`"),
        ("Hand over loan-1.", ("now",), {LOAN: loan()}, ""),
        ("Hand over loan-1.", ("main_key",), {LOAN: loan(), KEY: {"hook": "4"}}, "`main_key`"),
        ("Hand over main_key.", ("loan-1",), {LOAN: loan(), KEY: {"hook": "4"}}, "`main_key`"),
        ("Hand over what desk_rules allow.", ("loan-1",), {LOAN: loan(), "/docs/desk_rules.md": "Be kind."}, ""),
    ],
)
def test_a_deed_is_held_against_the_records_that_are_named(
    instruction: str, did: tuple[str, ...], read: dict[str, object], fault: str
) -> None:
    found = fault_of_changed_records(DONE, desk(read, did=(("hand-over", *did),), listed=(LOAN,)), asked(instruction))
    assert fault in found
    assert bool(found) is bool(fault)


def test_owning_up_does_not_excuse_where_nothing_was_done_as_asked() -> None:
    evidence = desk({LOAN: loan(), OTHER: other_loan()}, did=TO_OTHER)
    owned = says("By mistake, loan-2 was handed over.")
    assert "`loan-2`" in fault_of_changed_records(owned, evidence, asked("Hand over loan-1."))


@pytest.mark.parametrize(("changed", "is_judged"), [(8, True), (9, False)])
def test_more_than_forty_pairs_of_records_are_not_judged(changed: int, is_judged: bool) -> None:
    wanted = ", ".join(f"loan-{number}" for number in range(1, 6))
    did = tuple(("hand-over", f"loan-{number}") for number in range(11, 11 + changed))
    listed = desk(did=did, listed=tuple(f"/desk/loans/reader-7/loan-{number}.json" for number in range(1, 6)))
    assert bool(fault_of_changed_records(DONE, listed, asked(f"Hand over {wanted}."))) is is_judged


@pytest.mark.parametrize(
    ("instruction", "did", "change", "is_needless"),
    [
        ("Hand over loan-1.", HAND_OVER, Change(BOOK, "write"), False),
        ("Hand over loan-1.", HAND_OVER, Change("/today.txt", "write"), True),
        ("Hand over loan-1.", HAND_OVER, NOTE, False),
        ("Hand over loan-1.", HAND_OVER, Change(NOTE.path, "delete"), True),
        ("Enter what is due today in /notes/list.txt.", (), Change("/notes/today.txt", "delete"), True),
    ],
)
def test_a_file_may_be_changed_if_it_is_a_record_or_a_document_or_the_request_speaks_of_its_place(
    instruction: str, did: tuple[tuple[str, ...], ...], change: Change, is_needless: bool
) -> None:
    read = {LOAN: loan(), BOOK: {"id": "book-3"}, "/docs/desk.md": "Notes go to /notes."}
    found = fault_of_changed_records(DONE, desk(read, did=did, changes=(change,)), asked(instruction))
    assert bool(found) is is_needless


READ, WRITTEN, WRITTEN_BEFORE = (
    SeenText('{"id": "loan-1"}'),
    SeenText('{"id": "loan-1", "note": "hello"}', is_proof=False),
    SeenText('{"id": "loan-1", "note": "first"}', is_proof=False),
)


@pytest.mark.parametrize(
    ("did", "action", "seen", "instruction", "is_needless"),
    [
        (HAND_OVER, "write", (READ, WRITTEN), "Hand over loan-1.", True),
        (HAND_OVER, "write", (READ, WRITTEN), f"Hand over loan-1, which is {LOAN}.", False),
        (HAND_OVER, "write", (READ,), "Hand over loan-1.", False),
        (HAND_OVER, "write", (WRITTEN_BEFORE, WRITTEN), "Hand over loan-1.", False),
        (HAND_OVER, "delete", (READ, WRITTEN), "Hand over loan-1.", False),
        ((), "write", (READ, WRITTEN), "Correct loan-1.", False),
    ],
)
def test_a_record_is_written_needlessly_if_a_tool_did_what_was_asked_and_it_says_nothing_of_the_request(
    did: tuple[tuple[str, ...], ...], action: str, seen: tuple[SeenText, ...], instruction: str, is_needless: bool
) -> None:
    evidence = desk({LOAN: loan()}, did=did, changes=(Change(LOAN, action),))
    touch = Touch(LOAN, frozenset({"read", action}), seen)
    evidence = replace(evidence, touches={**evidence.touches, LOAN: touch})
    assert bool(fault_of_changed_records(DONE, evidence, asked(instruction))) is is_needless


def test_a_record_that_was_written_beside_a_deed_of_a_tool_is_needless_also_if_it_is_owned_up_to() -> None:
    evidence = desk({LOAN: loan(), OTHER: other_loan()}, did=HAND_OVER, changes=(Change(OTHER, "write"),))
    seen = (SeenText('{"id": "loan-2"}'), SeenText('{"id": "loan-2", "note": "hello"}', is_proof=False))
    written = Touch(OTHER, frozenset({"read", "write"}), seen)
    evidence = replace(evidence, touches={**evidence.touches, OTHER: written})
    owned = says("loan-1 is handed over, and loan-2 was written.")
    assert f"`{OTHER}`" in fault_of_changed_records(owned, evidence, asked("Hand over loan-1."))
