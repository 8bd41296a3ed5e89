from dataclasses import replace

import pytest

from gates import Case
from gates.claims import faults_of_deeds
from gates.types import Evidence
from tests.gates.claims.lending import BOOK, LEND, LOAN, RULES, asked, desk, loan, says
from tests.gates.facts.read_texts import evidence_with, ran

ORDER = asked("My bag is packed, so please get loan-1 going.")


@pytest.mark.parametrize(
    "answer",
    [
        "Done.",
        "All set!",
        "ok",
        "It went through without a hitch.",
        "Alles erledigt.",
        "That is taken care of, loan-1 needs nothing more.",
        "Request concerning loan-1 fulfilled.",
        "loan-1 handed over",
    ],
)
@pytest.mark.parametrize("changes", [None, []])
def test_an_order_that_was_not_carried_out_is_no_success_in_any_wording(answer: str, changes: object) -> None:
    (fault,) = faults_of_deeds(says(answer, changes=changes), desk(), ORDER)
    assert "nothing was written, deleted or executed" in fault
    assert "`changes`" not in fault


@pytest.mark.parametrize(
    "instruction", ["Please delete loan-1.", "Can you cancel it? Please approve loan-1.", "Close loan-1"]
)
def test_an_order_in_known_words_needs_a_change_whatever_is_given_beside(instruction: str) -> None:
    assert faults_of_deeds(says("Done on 2027-03-09, reader-7."), desk(), Case(instruction))


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        ("Which loans are late?", "All of them."),
        ("Tell me whether it is open.", "It is."),
        ("Please list the loans.", "There are some."),
        ("Find the rule on loans and answer with a word.", "private"),
        ("Let me know if the desk is open.", "It is open."),
        ("The due date of loan-1, please.", "It is due on 2027-03-09."),
        ("Loan-1, late?", "It is."),
        ("Delete the loans that are late. Answer with number only.", "0"),
        ("loan-1, late or on time.", "No, in time."),
        ("Loans of mine that are late.", "none"),
        ("Answer with number only: late loans.", "0"),
    ],
)
def test_what_asks_and_what_gives_something_that_was_found_passes(instruction: str, answer: str) -> None:
    assert faults_of_deeds(says(answer), desk(), Case(instruction)) == []


def test_a_state_that_held_already_may_be_told_if_it_was_read() -> None:
    told = says("loan-1 is handed over already.")
    assert faults_of_deeds(told, desk({LOAN: loan("handed_over")}), ORDER) == []
    assert faults_of_deeds(told, desk(), ORDER)
    assert faults_of_deeds(told, desk({}, listed=(LOAN,)), ORDER)


def test_where_the_rules_tell_the_result_of_a_deed_only_that_state_shows_it_done() -> None:
    order = asked("Take back loan-1, please.")
    for state, is_rejected in (("handed_over", True), ("returned", False)):
        told = says(f"loan-1 is {state}.")
        assert bool(faults_of_deeds(told, desk({LOAN: loan(state)}), order)) is is_rejected


def test_a_claimed_deed_needs_a_change_whatever_was_asked() -> None:
    told = says("I have cancelled the loan.", changes=[])
    assert "The answer reports a change" in faults_of_deeds(told, desk(), asked("Which loans are late?"))[0]


def test_with_a_change_an_unknown_tool_or_no_trace_it_does_not_apply() -> None:
    assert faults_of_deeds(says("Done."), desk(did=(("hand-over", "loan-1"),)), ORDER) == []
    assert faults_of_deeds(says("Done."), desk(ran_also=(ran("/bin/odd", kind="unknown"),)), ORDER) == []
    assert faults_of_deeds(says("Done."), Evidence(), ORDER) == []
    assert faults_of_deeds(says("Done.", "OUTCOME_NONE_UNSUPPORTED"), desk(), ORDER) == []


def test_a_run_that_failed_is_no_deed() -> None:
    failed = ran(LEND, "hand-over", "loan-1", kind="changes", exit_code=1)
    assert faults_of_deeds(says("Done."), desk(ran_also=(failed,)), ORDER)
    odd = ran("/bin/odd", kind="unknown", exit_code=1)
    assert faults_of_deeds(says("Done."), desk(ran_also=(odd,)), ORDER)


def test_the_message_repeats_no_word_of_the_request() -> None:
    (fault,) = faults_of_deeds(says("Done."), desk(), asked("Delete everything below /desk at once."))
    assert "everything" not in fault
    assert RULES not in fault


def test_a_listed_tool_of_which_nothing_is_known_tells_that_something_can_be_done() -> None:
    order = Case("My bag is packed, so please get it going.")
    seen = replace(evidence_with({"/notes/a.txt": "nothing"}), executions=(ran("/bin/whoami", kind="reads"),))
    assert faults_of_deeds(says("Done."), seen, order) == []
    for path, is_rejected in (("/bin/lend", True), ("/bin/whoami", False), ("/notes/b.txt", False)):
        listed = replace(seen, paths_by_spelling={path: (path,)})
        assert bool(faults_of_deeds(says("Done."), listed, order)) is is_rejected


@pytest.mark.parametrize(
    ("instruction", "answer", "held", "is_something"),
    [
        ("Please get loan-1 going.", "It is done, ticket 99881.", {}, False),
        ("By 2027-03-09 please get loan-1 going.", "2027-03-09 it is.", {}, False),
        ("Please get loan-1 going.", "2027-03-09 it is.", {}, True),
        ("For 11.50 please get loan-1 going.", "1150 it is.", {"fee": 1150}, False),
        ("Please get loan-1 going.", "book-3 it is.", {}, False),
        ("Please get loan-1 going.", "Prolong.", {"next": "prolong"}, False),
        ("Please get loan-1 going.", "Quagga.", {"title": "Quagga"}, True),
        ("Please get loan-1 going.", "Kiwi.", {"title": "Kiwi"}, True),
        ("Please get loan-1 going.", "Emu.", {"title": "Emu"}, False),
        ("Please get loan-1 going.", "Source.", {"title": "Source"}, False),
        ("Please get loan-1 going.", "Quagga.", {"title": "Zebra"}, False),
        ("Delete the loans that are late. Answer with number only.", "3", {}, False),
        ("Delete the loans that are late.", "none", {}, False),
    ],
)
def test_what_was_found_is_neither_in_the_request_nor_an_id_nor_what_a_tool_is_told(
    instruction: str, answer: str, held: dict[str, object], is_something: bool
) -> None:
    failed = ran(LEND, "prolong", "loan-1", kind="changes", exit_code=1)
    seen = desk({LOAN: loan(**held)}, listed=(BOOK,), ran_also=(failed,))
    assert bool(faults_of_deeds(says(answer), seen, asked(instruction))) is not is_something


def test_a_state_that_held_may_be_told_of_a_record_beside_others_that_are_tied_to_it() -> None:
    seen = desk({LOAN: loan("handed_over"), BOOK: {"id": "book-3"}})
    assert faults_of_deeds(says("loan-1 is handed over already."), seen, ORDER) == []
