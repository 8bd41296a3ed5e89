from dataclasses import replace

import pytest

from gates import Case
from gates.claims import fault_of_enumerated_set
from gates.claims.enumerated_sets import _SHOWN
from gates.types import Evidence, SeenText, Touch
from tests.gates.claims.lending import BOOK, LOAN, OTHER, desk, loan, other_loan, says

THIRD = "/desk/loans/reader-8/loan-3.json"
SEEN = desk({LOAN: loan(), OTHER: other_loan(), BOOK: {"id": "book-3"}}, listed=(THIRD,))
ALL = Case("Are loan-1, loan-2 and loan-3 of book-3 all on time?")


def test_what_is_enumerated_and_cited_in_part_is_named_read_or_not() -> None:
    fault = fault_of_enumerated_set(says("yes", cites=(LOAN,)), SEEN, ALL)
    assert f"`{OTHER}`, `{THIRD}`" in fault
    assert "Of 3 records" in fault
    assert BOOK not in fault


@pytest.mark.parametrize(
    ("answer", "cites", "instruction"),
    [
        ("yes", (LOAN, OTHER, THIRD), ALL.instruction),
        ("yes", (BOOK,), ALL.instruction),
        ("loan-1", (LOAN,), "Which is due first, loan-1 or loan-2?"),
        ("1", (LOAN,), "How many of loan-1 and loan-2 are due in March?"),
        ("yes", (LOAN,), "Is loan-1 on time, not loan-2?"),
        ("yes", (LOAN,), "Is loan-1 of book-3 on time?"),
    ],
)
def test_a_whole_set_a_choice_a_count_and_what_is_ruled_out_pass(
    answer: str, cites: tuple[str, ...], instruction: str
) -> None:
    assert fault_of_enumerated_set(says(answer, cites=cites), SEEN, Case(instruction)) == ""


def test_a_question_between_several_cites_each() -> None:
    ask = {"answer": "Which one: loan-1 or loan-2?", "outcome": "OUTCOME_NONE_CLARIFICATION"}
    assert f"`{OTHER}`" in fault_of_enumerated_set(says(**ask, cites=(LOAN,)), SEEN, Case("Return my loan."))
    assert fault_of_enumerated_set(says(**ask, cites=(LOAN, OTHER)), SEEN, Case("Return my loan.")) == ""


def test_without_a_trace_and_for_refusals_it_does_not_apply() -> None:
    assert fault_of_enumerated_set(says("yes", cites=(LOAN,)), Evidence(), ALL) == ""
    assert fault_of_enumerated_set(says("no", "OUTCOME_DENIED_SECURITY", (LOAN,)), SEEN, ALL) == ""


LISTED = """id,reader_id,state
loan-1,reader-7,reserved
loan-3,reader-7,reserved
loan-4,reader-7,reserved
loan-5,reader-7,returned
loan-9,reader-7,reserved
loan-2,reader-8,reserved
"""
MINE = {number: f"/desk/loans/reader-7/loan-{number}.json" for number in (1, 3, 4, 5)}


@pytest.mark.parametrize(
    ("cited", "missing"),
    [((1, 3), (4,)), ((1, 3, 4), ()), ((1,), ()), ((1, 5), ()), ((), ())],
)
def test_a_question_between_records_that_a_query_listed_alike_leaves_out_none(
    cited: tuple[int, ...], missing: tuple[int, ...]
) -> None:
    seen = desk({LOAN: loan()}, listed=(OTHER, *MINE.values()))
    query = Touch("/bin/sql", frozenset({"execute"}), (SeenText(LISTED, is_proof=False),))
    seen = replace(seen, touches={**seen.touches, "/bin/sql": query})
    asks = says("Which of your loans?", "OUTCOME_NONE_CLARIFICATION", tuple(MINE[each] for each in cited))
    fault = fault_of_enumerated_set(asks, seen, Case("Return my loan."))
    assert [each for each in MINE if f"`{MINE[each]}`" in fault] == list(missing)
    assert OTHER not in fault
    assert "``" not in fault


@pytest.mark.parametrize(
    ("answer", "cites", "is_rejected"),
    [
        ("loan-1\nloan-2\nloan-3", (LOAN, OTHER), True),
        ("- loan-1, loan-3", (LOAN,), True),
        ("loan-1\nloan-2", (LOAN, OTHER), False),
        ("loan-1\nloan-2", (BOOK,), False),
        ("loan-1 is late, loan-2 is not.", (LOAN,), False),
        ("loan-1", (LOAN,), False),
    ],
)
def test_a_list_of_ids_for_a_kind_of_record_cites_all_that_it_lists(
    answer: str, cites: tuple[str, ...], is_rejected: bool
) -> None:
    told = says(answer, cites=cites)
    assert bool(fault_of_enumerated_set(told, SEEN, Case("List all my late loans."))) is is_rejected


RULE = "/docs/rule-1.md"
LOOK = "Be so kind as to look at all the loans that are there"


@pytest.mark.parametrize(
    ("answer", "cites", "instruction", "named"),
    [
        ("loan-1 is.", (LOAN,), "Are loan-1 and loan-2 due?", ""),
        ("yes", (RULE,), "Do rule-1 and rule-2 allow it?", ""),
        ("yes", (LOAN,), "Are loan-1 and loan-4 due?", ""),
        ("loan-5-2", (OTHER,), "Which one do loan-2 and loan-3 wait for?", THIRD),
        ("loan-1, by 3 days.", (LOAN,), "Which of loan-1 and loan-2 is due first?", ""),
        ("yes", (OTHER,), f"{LOOK}, not loan-1. Are loan-2 and loan-3 late?", THIRD),
        ("--", (OTHER,), "Are loan-2 and loan-3 late?", THIRD),
        ("yes", (OTHER,), "It is not loan-1. Are loan-2 and loan-3 late?", THIRD),
    ],
)
def test_what_is_chosen_from_what_documents_say_and_what_is_in_doubt_is_no_set(
    answer: str, cites: tuple[str, ...], instruction: str, named: str
) -> None:
    read = {LOAN: loan(), OTHER: other_loan(), BOOK: {"id": "book-3"}, RULE: "Lend.", "/docs/rule-2.md": "Return."}
    seen = desk(read, listed=(THIRD, *(f"/desk/loans/{each}.json" for each in ("a/loan-4", "b/loan-4", "a/loan-5-2"))))
    fault = fault_of_enumerated_set(says(answer, cites=cites), seen, Case(instruction))
    assert named in fault
    assert bool(fault) is bool(named)


def test_a_list_of_ids_in_a_refusal_cites_nothing() -> None:
    refused = says("loan-1\nloan-2", "OUTCOME_DENIED_SECURITY", (LOAN,))
    assert fault_of_enumerated_set(refused, SEEN, Case("List all my late loans.")) == ""


@pytest.mark.parametrize(("missing", "more"), [(_SHOWN, ""), (_SHOWN + 1, " and 1 more")])
def test_of_many_records_that_are_not_cited_the_first_are_named(missing: int, more: str) -> None:
    paths = [f"/desk/loans/reader-7/loan-{number}.json" for number in range(1, missing + 2)]
    wanted = Case(f"Are {', '.join(f'loan-{number}' for number in range(1, missing + 2))} on time?")
    fault = fault_of_enumerated_set(says("yes", cites=(paths[0],)), desk({}, listed=tuple(paths)), wanted)
    assert f"`{paths[_SHOWN]}`{more} are not cited" in fault


def test_what_a_query_lists_without_states_is_not_alike() -> None:
    seen = desk({LOAN: loan()}, listed=tuple(MINE.values()))
    table = "id,reader_id\nloan-1,reader-7\nloan-3,reader-7\nloan-4,reader-7\n"
    query = Touch("/bin/sql", frozenset({"execute"}), (SeenText(table, is_proof=False),))
    seen = replace(seen, touches={**seen.touches, "/bin/sql": query})
    asks = says("Which of your loans?", "OUTCOME_NONE_CLARIFICATION", (MINE[1], MINE[3]))
    assert fault_of_enumerated_set(asks, seen, Case("Return my loan.")) == ""
