from dataclasses import replace

import pytest

from gates.claims import fault_of_absence
from gates.types import Change, Evidence, LookUp
from tests.gates.claims.lending import BOOK, LOAN, asked, desk, loan, says

FINE = "/desk/fines/fine-4.json"
FAILED = LookUp("exec", "/bin/sql", "select id from fines where loan = 'loan-1'", is_whole=True, has_failed=True)
ASK = asked("Waive the fine of loan-1.")
UNSUPPORTED, OK = "OUTCOME_NONE_UNSUPPORTED", "OUTCOME_OK"
ABSENT = says("There is no fine for loan-1.", UNSUPPORTED)


def after(*look_ups: LookUp, read: dict[str, object] | None = None) -> Evidence:
    return replace(desk(read or {LOAN: loan(), BOOK: {"id": "book-3"}}, listed=(FINE,)), look_ups=look_ups)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("There is no fine for loan-1.", UNSUPPORTED),
        ("Für loan-1 liegt nichts vor (fines: leer).", UNSUPPORTED),
        ("Nothing of that kind is on record.", UNSUPPORTED),
        ("none, loan-1 has been spared a fine", OK),
    ],
)
def test_an_absence_that_rests_on_a_failed_look_up_is_sent_back_in_any_wording(answer: str, outcome: str) -> None:
    fault = fault_of_absence(says(answer, outcome), after(FAILED), ASK)
    assert "`/desk/fines`" in fault
    assert "`/bin/sql`" in fault


def test_a_part_of_a_folders_name_speaks_of_no_kind() -> None:
    failed = LookUp("exec", "/bin/sql", "select * from sent_back", is_whole=True, has_failed=True)
    seen = replace(desk({LOAN: loan()}, listed=("/desk/sent-back/case-1.json",)), look_ups=(failed,))
    assert fault_of_absence(says("No such system: nothing was sent.", OK), seen, ASK) == ""
    assert "`/desk/sent-back`" in fault_of_absence(says("Nothing was sent back.", OK), seen, ASK)


def test_a_single_word_speaks_of_no_kind() -> None:
    assert fault_of_absence(says("Fines", OK), after(FAILED), ASK) == ""
    assert fault_of_absence(says("No fines", OK), after(FAILED), ASK)


@pytest.mark.parametrize(
    "later",
    [
        LookUp("exec", "/bin/sql", "select * from fines", hits=1),
        LookUp("search", "/desk", "loan-1", hits=0),
        LookUp("search", "/desk", r"\b(?:loan\-1|member\-7)\b", hits=0),
        LookUp("search", "/desk/fines", "x", hits=0),
    ],
)
def test_a_look_up_that_succeeds_and_covers_the_place_excuses(later: LookUp) -> None:
    for look_ups in ((FAILED, later), (later, FAILED)):
        assert fault_of_absence(ABSENT, after(*look_ups), ASK) == ""


@pytest.mark.parametrize(
    "later",
    [
        LookUp("search", "/desk", "loan-1", is_whole=False),
        LookUp("search", "/desk", "discount"),
        LookUp("search", "/notes", "loan-1"),
        LookUp("list", "/desk/fines", hits=3),
        LookUp("exec", "/bin/sql", "select * from books", hits=3),
        LookUp("exec", "/bin/sql", "select * from fines", has_failed=True),
    ],
)
def test_a_look_up_elsewhere_of_names_alone_or_cut_off_excuses_nothing(later: LookUp) -> None:
    assert fault_of_absence(ABSENT, after(FAILED, later), ASK)


def test_a_listing_takes_the_place_of_a_listing() -> None:
    failed = LookUp("list", "/desk/fines", has_failed=True)
    assert fault_of_absence(ABSENT, after(failed), ASK)
    assert fault_of_absence(ABSENT, after(failed, LookUp("list", "/desk", hits=3)), ASK) == ""


def test_the_record_itself_excuses_and_another_of_its_kind_does_not() -> None:
    other = "/desk/fines/fine-5.json"
    for fine, is_excused in (({"id": "fine-4", "loan_id": "loan-1"}, True), ({"id": "fine-4"}, False)):
        seen = after(FAILED, read={LOAN: loan(), FINE: fine})
        seen = replace(seen, paths_by_spelling={**seen.paths_by_spelling, other: (other,)})
        assert (fault_of_absence(ABSENT, seen, ASK) == "") is is_excused


def test_all_records_of_the_kind_excuse() -> None:
    assert fault_of_absence(ABSENT, after(FAILED, read={LOAN: loan(), FINE: {"id": "fine-4"}}), ASK) == ""


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("loan-1 is lost, and lost loans are not waived.", UNSUPPORTED),
        ("Denied: no right to fines.", "OUTCOME_DENIED_SECURITY"),
        ("Which fine?", "OUTCOME_NONE_CLARIFICATION"),
    ],
)
def test_what_speaks_of_something_else_or_claims_nothing_passes(answer: str, outcome: str) -> None:
    case = ASK if outcome != UNSUPPORTED else asked("Waive it for book-3.")
    assert fault_of_absence(says(answer, outcome), after(FAILED), case) == ""


def test_a_value_that_a_record_holds_speaks_of_no_kind() -> None:
    seen = after(FAILED, read={LOAN: loan(borrower="Clerk of Fines")})
    assert fault_of_absence(says("Clerk of Fines | loan-1"), seen, ASK) == ""
    assert fault_of_absence(says("Clerk of Fines: no fines for loan-1"), seen, ASK)


def test_without_a_failure_and_after_a_change_it_does_not_apply() -> None:
    assert fault_of_absence(ABSENT, after(), ASK) == ""
    assert fault_of_absence(ABSENT, replace(after(FAILED), changes=(Change("/bin/lend", "execute"),)), ASK) == ""
    assert fault_of_absence(ABSENT, Evidence(), ASK) == ""


VAGUE = LookUp("exec", "/bin/sql", "select * from fines", is_whole=True, has_failed=True)
ROOM = "/desk/rooms/room-2.json"


@pytest.mark.parametrize(
    ("answer", "outcome", "failed", "listed", "is_rejected"),
    [
        ("book-3 is in the way.", UNSUPPORTED, (FAILED,), (), False),
        ("There is nothing of the kind.", UNSUPPORTED, (FAILED,), (), True),
        ("There is nothing of the kind.", UNSUPPORTED, (FAILED, VAGUE), (), True),
        ("There is nothing of the kind.", UNSUPPORTED, (VAGUE,), (), False),
        ("There is no room for it.", OK, (FAILED,), (ROOM,), False),
        ("There is no room for it.", OK, (LookUp("list", "/desk/rooms", has_failed=True),), (ROOM,), True),
        ("Of it there is none.", OK, (LookUp("list", "/desk/it", has_failed=True),), ("/desk/it/it-4.json",), False),
    ],
)
def test_a_kind_is_meant_if_it_is_called_by_its_name_or_what_is_asked_for_was_looked_up_in_vain(
    answer: str, outcome: str, failed: tuple[LookUp, ...], listed: tuple[str, ...], is_rejected: bool
) -> None:
    seen = replace(desk({LOAN: loan(), BOOK: {"id": "book-3"}}, listed=(FINE, *listed)), look_ups=failed)
    assert bool(fault_of_absence(says(answer, outcome), seen, ASK)) is is_rejected


@pytest.mark.parametrize(("names", "is_kind"), [(9, True), (10, False)])
def test_a_folder_of_files_of_a_dozen_names_has_no_kind(names: int, is_kind: bool) -> None:
    listed = tuple(f"/desk/fines/k{chr(97 + number)}b-1.json" for number in range(names))
    seen = replace(desk({LOAN: loan()}, listed=(*listed, "/desk/fines/part-1.json")), look_ups=(FAILED,))
    assert bool(fault_of_absence(ABSENT, seen, ASK)) is is_kind


def test_a_value_of_one_word_still_speaks_of_the_kind() -> None:
    seen = after(FAILED, read={LOAN: loan(note="fine", empty="")})
    assert fault_of_absence(says("No fine is known."), seen, ASK)


def test_the_record_that_the_request_names_excuses() -> None:
    failed = replace(FAILED, terms="select * from fines where id = 'fine-4'")
    seen = after(failed, read={LOAN: loan(), FINE: {"amount": "4"}})
    other = "/desk/fines/fine-5.json"
    seen = replace(seen, paths_by_spelling={**seen.paths_by_spelling, other: (other,)})
    assert fault_of_absence(says("The fine holds no reader."), seen, asked("Who pays fine-4?")) == ""
    assert fault_of_absence(says("The fine holds no reader."), seen, asked("Who pays fine-5?"))
