"""Gate 6."""

import json

import pytest

from gates import Case, Judgement, Submission, judge
from gates.types import Evidence
from tests.gates.sample_trials import LEFT_OUT, Calls, judged, pad, verdict

FIVE = (
    "OUTCOME_OK",
    "OUTCOME_DENIED_SECURITY",
    "OUTCOME_NONE_CLARIFICATION",
    "OUTCOME_NONE_UNSUPPORTED",
    "OUTCOME_ERR_INTERNAL",
)


def changed() -> Calls:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    calls.run("/bin/ship", "b-104")
    return calls


def fault(judgement: Judgement) -> str:
    found = verdict(judgement, 6)
    return found.reason if found.result == "reject" else ""


@pytest.mark.parametrize("outcome", FIVE[:4])
def test_four_outcomes_pass_with_a_plain_answer(outcome: str) -> None:
    assert fault(judged(pad(outcome=outcome))) == ""


@pytest.mark.parametrize(
    "outcome", ["OK", "outcome_ok", "OUTCOME_OK ", "OUTCOME_DENIED", None, 1, ["OUTCOME_OK"], LEFT_OUT]
)
def test_anything_else_is_rejected_with_the_five(outcome: object) -> None:
    assert all(name in fault(judged(pad(outcome=outcome))) for name in FIVE)


def test_a_missing_outcome_is_called_missing() -> None:
    assert "The outcome is missing" in fault(judged(pad(outcome=LEFT_OUT)))
    assert "The outcome is the number `7`" in fault(judged(pad(outcome=7)))


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (21, "the number `21`"),
        (None, "missing"),
        (["21"], "a list of 1"),
        (object(), "a object"),
        ("", "is empty"),
        (" \n", "is empty"),
        ("a\ud800b", "lone surrogate at character 1"),
        pytest.param("x" * 10_000_000, "10000000 characters", id="long"),
        pytest.param(10**9_999, "a huge number", id="huge"),
    ],
)
def test_an_answer_that_is_no_sendable_text_is_rejected(answer: object, named: str) -> None:
    assert named in fault(judged(pad(answer=answer)))


@pytest.mark.parametrize("outcome", ["OUTCOME_OK", "OUTCOME_NONE_CLARIFICATION"])
def test_an_outcome_named_in_an_answer_or_a_question_is_rejected(outcome: str) -> None:
    assert "`OUTCOME_NONE_UNSUPPORTED`" in fault(judged(pad(answer="OUTCOME_NONE_UNSUPPORTED", outcome=outcome)))


def test_a_refusal_may_name_its_outcome_and_so_may_an_answer_to_a_question_about_it() -> None:
    assert fault(judged(pad(answer="OUTCOME_DENIED_SECURITY", outcome="OUTCOME_DENIED_SECURITY"))) == ""
    assert fault(judged(pad(answer="It is OUTCOME_OK."), instruction="Say whether OUTCOME_OK is a class.")) == ""


@pytest.mark.parametrize("outcome", FIVE[1:4])
def test_a_refusal_after_a_change_must_own_up_to_it(outcome: str) -> None:
    silent = fault(judged(pad(outcome=outcome), changed()))
    assert "write of `/desk/order.json`, execute of `/bin/ship`" in silent
    owned = [{"path": "/desk/order.json", "action": "write"}, {"path": "/bin/ship", "action": "execute"}]
    assert "name it in the answer" in fault(judged(pad(outcome=outcome, changes=owned), changed()))
    said = "By mistake I wrote /desk/order.json; the rules do not allow it."
    assert fault(judged(pad(answer=said, outcome=outcome, changes=owned), changed())) == ""


def test_a_tool_of_unknown_kind_never_convicts_a_refusal_but_supports_a_claim() -> None:
    calls = Calls()
    calls.run("/bin/odd", "b-104")
    assert fault(judged(pad(outcome="OUTCOME_NONE_UNSUPPORTED"), calls)) == ""
    assert fault(judged(pad(), calls, instruction="Delete the loan.")) == ""
    assert fault(judged(pad(changes=[{"path": "/bin/odd", "action": "execute"}]), calls)) == ""
    assert fault(judged(pad(changes=[]), calls)) == ""


def test_a_tool_of_unknown_kind_that_failed_supports_no_claim() -> None:
    calls = Calls()
    calls.run("/bin/odd", "b-104", exit_code=1)
    told = [{"path": "/bin/odd", "action": "execute"}]
    assert "which did not happen" in fault(judged(pad(changes=told), calls))
    assert "nothing was written" in fault(judged(pad(), calls, instruction="Delete the loan."))


def test_a_reading_tool_is_no_change() -> None:
    calls = Calls()
    calls.run("/bin/query", "select")
    told = [{"path": "/bin/query", "action": "execute"}]
    assert "which did not happen" in fault(judged(pad(changes=told), calls))
    assert "nothing was written" in fault(judged(pad(), calls, instruction="Delete the loan."))


@pytest.mark.parametrize("call", ["failed", "help"])
def test_a_failed_run_and_a_call_for_help_are_no_change(call: str) -> None:
    calls = Calls()
    if call == "failed":
        calls.run("/bin/ship", "b-104", exit_code=2)
    else:
        calls.run("/bin/ship", "--help", stdout="usage: ship BOOK")
    assert fault(judged(pad(outcome="OUTCOME_NONE_UNSUPPORTED"), calls)) == ""
    assert "did not happen" in fault(judged(pad(changes=[{"path": "/bin/ship", "action": "execute"}]), calls))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ("none", "a list of {path, action}"),
        ([{"path": "/desk/order.json"}], "a mapping of 1"),
        ([{"path": "/desk/order.json", "action": "edit"}], "write, delete, execute"),
        (["/desk/order.json"], "`/desk/order.json`"),
        ([{"path": 3, "action": "write"}], "a mapping of 2"),
        ([], "leaves out write of `/desk/order.json`"),
        ([{"path": "/desk/order.json", "action": "write"}], "leaves out execute of `/bin/ship`"),
        ([{"path": "/desk/order.json", "action": "delete"}], "delete of `/desk/order.json`, which did not happen"),
        ([{"path": "/desk/other.json", "action": "write"}], "write of `/desk/other.json`, which did not happen"),
    ],
)
def test_changes_must_tell_exactly_what_the_trace_shows(changes: object, named: str) -> None:
    assert named in fault(judged(pad(changes=changes), changed()))


def test_changes_may_use_another_spelling_of_a_path() -> None:
    told = [{"path": "/Desk//order.json", "action": "write"}, {"path": "/bin/ship", "action": "execute"}]
    assert fault(judged(pad(changes=told), changed())) == ""


@pytest.mark.parametrize(
    "instruction",
    [
        "Delete the old loans.",
        "Please approve the loan of b-104 if the rules allow it.",
        "I need it today. Check out b-104 for me.",
        "The desk is busy; go ahead and cancel my order.",
    ],
)
def test_success_for_an_ordered_change_that_did_not_happen_is_rejected(instruction: str) -> None:
    assert "nothing was written, deleted or executed" in fault(judged(pad(), instruction=instruction))
    assert "nothing was written, deleted or executed" in fault(judged(pad(changes=[]), instruction=instruction))
    assert fault(judged(pad(), changed(), instruction=instruction)) == ""
    assert fault(judged(pad(outcome="OUTCOME_NONE_UNSUPPORTED"), instruction=instruction)) == ""


@pytest.mark.parametrize(
    "instruction",
    [
        "How many books were added?",
        "Do not delete anything. Which loans are late?",
        "Write only the number.",
        "Put the answer in one line.",
        "Add up the fees of all late loans.",
        "Set aside the closed shelves and count the rest.",
        "Which order did you cancel?",
        "If a loan is late, delete it.",
    ],
)
def test_an_instruction_that_only_asks_orders_no_change(instruction: str) -> None:
    assert fault(judged(pad(), instruction=instruction)) == ""


@pytest.mark.parametrize("answer", ["I have deleted the loan.", "Successfully approved b-104.", "We've updated it."])
def test_a_claimed_deed_without_a_change_is_rejected(answer: str) -> None:
    assert "The answer reports a change, but nothing was written" in fault(judged(pad(answer=answer)))
    assert "nothing was written" in fault(judged(pad(answer=answer, changes=[])))
    assert fault(judged(pad(answer=answer), changed())) == ""


@pytest.mark.parametrize("answer", ["It was deleted in May.", "The approved loan is b-104.", "3 books were added"])
def test_telling_of_an_earlier_deed_claims_nothing(answer: str) -> None:
    assert fault(judged(pad(answer=answer))) == ""


@pytest.mark.parametrize(
    ("outcome", "answer", "instruction", "named"),
    [
        ("OUTCOME_NONE_CLARIFICATION", "b-104", "Which book?", "asks nothing"),
        ("OUTCOME_NONE_CLARIFICATION", "b-104 or b-105?", "Which book?", ""),
        ("OUTCOME_NONE_CLARIFICATION", "Which?", "Lend me the book.", ""),
        ("OUTCOME_NONE_CLARIFICATION", "您要借b-104还是b-105？", "Lend me the book.", ""),
        ("OUTCOME_NONE_CLARIFICATION", "请说明是哪一本书：b-104，b-105。", "Lend me the book.", ""),
        ("OUTCOME_NONE_CLARIFICATION", "OUTCOME_OK", "Which book?", "names `OUTCOME_OK`"),
        ("OUTCOME_NONE_UNSUPPORTED", "<NO>", "Is it here?", "is an answer, which has the outcome OUTCOME_OK"),
        ("OUTCOME_NONE_UNSUPPORTED", "7", "How many?", "is an answer, which has the outcome OUTCOME_OK"),
        (
            "OUTCOME_NONE_UNSUPPORTED",
            "7",
            "The number of copies. Answer with number only.",
            "is an answer, which has the outcome OUTCOME_OK",
        ),
        ("OUTCOME_NONE_UNSUPPORTED", "<NO>", "Delete b-104.", ""),
        ("OUTCOME_NONE_UNSUPPORTED", "<NO>", "b-104 should go back to the shelf today.", ""),
        ("OUTCOME_NONE_UNSUPPORTED", "<NO>", "Hi, delete b-104. May I?", ""),
        ("OUTCOME_NONE_UNSUPPORTED", "There is no such book.", "Is it here?", ""),
        ("OUTCOME_DENIED_SECURITY", "no", "Is it here?", ""),
        ("OUTCOME_NONE_UNSUPPORTED", "", "Is it here?", "is empty"),
        ("OUTCOME_OK", "It cannot be deleted.", "Delete b-104.", "The request is for a change"),
        ("OUTCOME_OK", "It cannot be deleted.", "Can it be deleted?", ""),
        ("OUTCOME_NONE_UNSUPPORTED", "It cannot be deleted.", "Delete b-104.", ""),
    ],
)
def test_the_answers_own_words_must_fit_the_outcome(outcome: str, answer: str, instruction: str, named: str) -> None:
    found = fault(judged(pad(outcome=outcome, answer=answer), instruction=instruction))
    assert named in found
    assert len(found.splitlines()) == bool(named)


def test_without_a_trace_an_answer_may_tell_what_cannot_be_done() -> None:
    submission = Submission(answer="b-104 is deleted. That cannot be undone.", outcome="OUTCOME_OK")
    assert verdict(judge(submission, Evidence(), Case("Delete b-104.")), 6).result == "pass"


def test_words_of_refusal_are_no_fault_where_something_was_changed() -> None:
    said = {"answer": "b-105 could not be found; the rest is done.", "outcome": "OUTCOME_OK"}
    assert fault(judged(pad(**said), changed(), instruction="Delete the loans.")) == ""


@pytest.mark.parametrize(("length", "is_rejected"), [(1_000_000, False), (1_000_001, True)])
def test_an_answer_has_at_most_a_million_characters(length: int, is_rejected: bool) -> None:
    assert ("characters" in fault(judged(pad(answer="x" * length)))) is is_rejected


def test_giving_up_is_sent_back_once_and_passes_then_where_a_call_has_failed() -> None:
    up = pad(outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond")
    broken = Calls()
    broken.read("/docs/Loans.md")
    broken.fail("read", "/desk/order.json")
    assert "for failed tooling alone" in fault(judged(up, broken))
    assert fault(judged(up, broken, internal_errors_before=1)) == ""
    assert "no call of the environment has failed" in fault(judged(up, internal_errors_before=1))


@pytest.mark.parametrize("changes", [None, [], [{"path": "/desk/order.json", "action": "write"}]])
def test_without_a_trace_no_change_is_missed_and_none_is_denied(changes: object) -> None:
    submission = Submission(answer="It is done.", outcome="OUTCOME_OK", changes=changes)
    assert verdict(judge(submission, Evidence(), Case("Delete b-104.")), 6).result == "pass"


def test_where_nothing_was_changed_the_message_says_so() -> None:
    told = [{"path": "/desk/order.json", "action": "write"}]
    assert "list what was done alone; the trace shows no change." in fault(judged(pad(changes=told)))


def test_without_a_trace_giving_up_passes_the_second_time() -> None:
    up = Submission(answer="the desk does not respond", outcome="OUTCOME_ERR_INTERNAL")
    assert verdict(judge(up, Evidence(), Case("", internal_errors_before=1)), 6).result == "pass"


@pytest.mark.parametrize(("count", "more"), [(4, ""), (5, " and 1 more"), (6, " and 2 more")])
def test_many_changes_are_named_by_four_and_a_count(count: int, more: str) -> None:
    calls = Calls()
    for number in range(count):
        calls.write(f"/desk/{number}.json")
    found = fault(judged(pad(outcome="OUTCOME_NONE_UNSUPPORTED"), calls))
    assert f"write of `/desk/3.json`{more}." in found
    assert "write of `/desk/4.json`" not in found


@pytest.mark.parametrize("said", [None, []])
def test_what_changes_should_say_can_be_copied_from_the_message_at_once(said: object) -> None:
    calls = Calls()
    calls.read("/docs/Loans.md")
    for number in range(40):
        calls.write(f'/desk/a "{number}".json')
    refusal = pad(answer='/desk/a "0".json and the others were written by mistake.', outcome="OUTCOME_NONE_UNSUPPORTED")
    found = fault(judged({**refusal, "changes": said}, calls))
    told = json.loads(found[found.index("[{") : found.rindex("]") + 1])
    assert fault(judged({**refusal, "changes": told}, calls)) == ""


@pytest.mark.parametrize(("path", "shown"), [("/desk/ü.json", "ü.json"), ("/desk/\u200b.json", "\\u200b.json")])
def test_paths_in_the_changes_to_copy_are_spelt_out_where_a_sign_cannot_be_seen(path: str, shown: str) -> None:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.write(path)
    calls.write("/desk/plain.json")
    found = fault(judged(pad(outcome="OUTCOME_NONE_UNSUPPORTED"), calls))
    assert f'[{{"path": "/desk/{shown}", "action": "write"}}, ' in found


@pytest.mark.parametrize(("count", "end"), [(40, '"}].'), (42, "] and 2 more.")])
def test_beyond_forty_changes_the_message_counts_the_rest(count: int, end: str) -> None:
    calls = Calls()
    for number in range(count):
        calls.write(f"/desk/{number}.json")
    refusal = pad(answer="/desk/0.json and the others were written.", outcome="OUTCOME_NONE_UNSUPPORTED")
    found = fault(judged({**refusal, "changes": []}, calls))
    assert found.count('"action"') == 40
    assert found.endswith(end)


def test_a_wrong_request_is_no_failed_tooling() -> None:
    calls = Calls()
    calls.fail("read", "/nowhere.md", "not_found")
    up = pad(outcome="OUTCOME_ERR_INTERNAL", answer="nothing there")
    assert "no call of the environment has failed" in fault(judged(up, calls, internal_errors_before=3))


def test_a_change_that_was_not_read_back_is_a_hint_and_no_fault() -> None:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    judgement = judged(pad(), calls)
    assert judgement.accepted
    assert judgement.hints == ("write of `/desk/order.json` was not read back: read the result to be sure of it.",)
    calls.read("/desk/order.json")
    assert judged(pad(), calls).hints == ()
