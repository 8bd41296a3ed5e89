"""Whole trials of the second solver: journalled, gone on with from any event, judged again, with parts switched off."""

import json

import pytest

from agent.events import AnswerSent, CallSent, ConversationOpened, ModelReplied, StepDone
from agent.exoskeleton.bindings import Permission
from agent.exoskeleton.offered_tools import tools_of
from agent.loop import Recording, RerunSettings, rerun
from agent.model import Reply, ToolCall
from sandbox import ForkServer
from tests.support.exoskeleton_trials import FIND, TOOL_SCHEMA, TurnModel, attempt, call, completed, trial_of
from tests.support.scored_journal import records_of

OFF = "references evidence-store"
NOTHING = json.dumps({"change": False, "who": ""})
FORMATTED = json.dumps({"message": "emma, persuasion"})
READ = call("read", path="/books/emma.txt", start_line=0, end_line=0)
WRONG = completed(records=[{"path": "/books/none.txt", "reason": "it says by nobody"}], task_type="other")
QUIET = "classifier formatter references evidence-store"
UNKNOWN_REF = completed(records=[{"path": "/books/none.txt", "reason": "it says by nobody"}])


def model() -> TurnModel:
    """Reads and finds at once, says something, completes wrongly beside a read, completes."""
    others = {"classify": [NOTHING], "format": [FORMATTED]}
    return TurnModel([[READ, FIND], "I think I know.", [WRONG, READ], [completed()]], others)


@pytest.fixture(scope="module")
def whole():
    return attempt(model(), parts=OFF)


def test_a_trial_is_answered_through_the_gates(whole):
    assert whole.reason == ""
    assert whole.shelf.answers == ["emma, persuasion"]
    (sent,) = [event for event in whole.events if isinstance(event, AnswerSent)]
    assert sent.refs == ("/books/emma.txt", "/books/persuasion.txt")
    assert [len(step.verdicts) for step in whole.steps] == [0, 0, 0, 1, 1]
    assert whole.steps[0].refunded


def test_the_journal_holds_the_whole_conversation(whole):
    (opened,) = [event for event in whole.events if isinstance(event, ConversationOpened)]
    said = [{"role": "system", "content": opened.system}, *(each.message() for each in opened.exchange)]
    said.append({"role": "user", "content": "".join(opened.first_message)})
    replies = {event.step: event for event in whole.events if isinstance(event, ModelReplied) and event.role == "solve"}
    for step in whole.steps[1:4]:
        reply = replies[step.step]
        said.append({"role": "assistant", "content": reply.reply})
        if reply.tool_calls:
            said[-1]["tool_calls"] = [*reply.tool_calls]
        for made, result in zip(reply.tool_calls, step.feedback, strict=False):
            said.append({"role": "tool", "content": result, "tool_call_id": made.id})
        if rest := "".join(step.feedback[len(reply.tool_calls) :]):
            said.append({"role": "user", "content": rest})
    assert whole.model.requests[-2][1] == said


def test_it_goes_on_from_any_event_without_doing_anything_twice(whole):
    replied = [at for at, each in enumerate(whole.events) if isinstance(each, ModelReplied)]
    for cut in range(1, len(whole.events)):
        known = whole.events[:cut]
        again = attempt(model(), parts=OFF, known=known)
        events = [*known, *again.events]
        assert again.reason == "", cut
        # The classifier is asked anew if the initial prompt was not ready: its step had not begun.
        assert len(again.model.requests) == sum(at >= cut for at in replied), cut
        kinds = [event.type for event in events]
        assert (kinds.count("step"), kinds.count("submission_judged"), kinds.count("answer_sent")) == (5, 2, 1), cut
        assert [event.feedback for event in events if isinstance(event, StepDone)] == [
            step.feedback for step in whole.steps
        ], cut


def test_recorded_submissions_are_judged_again(whole, server: ForkServer):
    recording = Recording(trial_of("Which books are by Austen?"), TOOL_SCHEMA, records_of(whole.events)["t"])
    assert list(rerun(recording, server, RerunSettings())) == [None] * 5


@pytest.mark.parametrize(
    ("limits", "replies", "why"),
    [
        (
            {"max_steps": 1, "extra_steps": 1},
            ["hm"] * 2,
            "1 more after the nudge: every reply called no tool",
        ),
        ({}, ["hm"] * 10, "every reply called no tool"),
        ({}, [[WRONG]] * 5, "submitted the same answer 5 times in a row"),
    ],
)
def test_a_trial_without_an_answer_says_why(limits, replies, why):
    tried = attempt(TurnModel(replies), parts="references formatter classifier evidence-store", **limits)
    assert why in tried.reason


def test_a_call_that_may_have_happened_is_not_made_again():
    lend = call("exec", path="/bin/lend")
    others = {"classify": [json.dumps({"change": True, "who": ""})]}
    script = [[lend], [FIND], [completed()]]
    order = "Lend emma, and say which books are by Austen."
    tried = attempt(TurnModel(script, others), instruction=order, parts="references formatter")
    assert tried.shelf.lent == 1
    cut = next(at for at, each in enumerate(tried.events) if isinstance(each, CallSent) and each.operation == "exec")
    known = tried.events[: cut + 1]
    again = attempt(TurnModel(script, others), instruction=order, parts="references formatter", known=known)
    assert again.shelf.lent == 0
    assert "whether it happened is not known" in again.told


ALONE = "references formatter classifier evidence-store"
COUNT = 'How many books are by Austen? Answer exactly in the format "%d".'
SAID = [completed("OUTCOME_OK: 2")]


def test_an_answer_that_is_stood_by_goes_out_in_the_third_turn_also_over_interruptions():
    model = TurnModel([[FIND], SAID, SAID, SAID])
    whole = attempt(model, instruction=COUNT, parts=ALONE)
    found = [(judged.accepted, len(judged.overridden)) for step in whole.steps for judged in step.verdicts]
    assert (whole.reason, found) == ("", [(False, 0), (False, 0), (True, 1)])
    assert whole.shelf.answers == ["OUTCOME_OK: 2"]
    for cut in range(1, next(at for at, each in enumerate(whole.events) if isinstance(each, AnswerSent))):
        again = attempt(model, instruction=COUNT, parts=ALONE, known=whole.events[:cut])
        (judged,) = again.steps[-1].verdicts
        assert (judged.accepted, len(judged.overridden), again.steps[-1].step) == (True, 1, whole.steps[-1].step), cut


def test_a_reply_has_one_completion_judged_and_a_trial_twelve():
    unread = [{"path": "/books/none.txt", "reason": "it says by nobody"}]
    turns = [[completed(f"emma {turn}", records=unread)] * 4 for turn in range(20)]
    tried = attempt(TurnModel(turns), parts=ALONE)
    judged = [len(step.verdicts) for step in tried.steps if step.verdicts]
    assert judged == [1] * 12
    assert tried.reason.startswith("12 submissions were sent back: the last submission was sent back by gate 4")


@pytest.mark.parametrize(
    ("field", "quote", "line", "result", "told"),
    [
        ("records", "BY  Austen", 1, "pass", ""),
        ("documents", "by Austen", 1, "pass", ""),
        ("records", "by Brontë", 0, "reject", "`by Brontë` is not in what was read of `/books/emma.txt`"),
    ],
)
def test_a_reference_may_quote_what_was_read(field, quote, line, result, told):
    quoting = {field: [{"path": "/books/emma.txt", "reason": "cited for the answer", "quote": quote}]}
    tried = attempt(TurnModel([[READ], [completed(**{"records": []} | quoting)], [FIND], [completed()]]), parts=ALONE)
    step = next(step for step in tried.steps if step.verdicts)
    assert (step.citations[0].quote, step.citations[0].line) == (quote, line)
    assert {verdict.key: verdict.result for verdict in step.verdicts[0].verdicts}["5"] == result
    assert told in "".join(step.feedback)


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        ([FIND], '"/books/emma.txt","/books/persuasion.txt"'),
        ([call("books_by", author="nobody")], "error: failed_precondition: nobody is no author"),
        ([call("read", path="/books/none.txt")], "error: not_found: there is no /books/none.txt"),
        ([call("fly", to="the moon")], "error: there is no tool 'fly'; there are books_by, exec, find"),
        ([call("read")], "needs 'path'"),
        ([call("read", path=7)], "path is a string, not int"),
        ([call("read", path="/x", colour="red")], "has no argument 'colour'"),
        ([ToolCall(name="read", arguments="[1]")], "error: its arguments are no JSON object: [1]"),
        ([ToolCall(name="read", arguments="{")], "error: its arguments are no JSON"),
        ([completed(outcome="FINE")], "gate 6"),
        ([UNKNOWN_REF], "gate 4"),
        ([call("report_completion", outcome="OK")], "the completion does not fit: message: Field required"),
        ([completed(records="all")], "the completion does not fit: records"),
        ([UNKNOWN_REF, FIND], "not run: it stands behind a completion"),
        ([FIND] * 33, "not run: a reply makes at most 32 calls"),
        ("The books are emma and persuasion.", "That reply called no tool"),
        ('{"calls": [{"name": "books_by", "arguments": {"author": "Austen"}}]}', '<result of="books_by">'),
        ('```json\n[{"name": "books_by", "arguments": {"author": "Austen"}}]\n```', '<result of="books_by">'),
        ('{"calls": [{"name": "books_by", "arguments": {}}, {"name": "fly", "arguments": {}}]}', "no tool 'fly'"),
        (Reply(text="", tool_calls=(FIND,), finish_reason="length"), "That reply called no tool"),
    ],
)
def test_each_kind_of_reply_gets_its_answer(turn, told):
    tried = attempt(TurnModel([turn, [FIND], [completed()]]), parts=QUIET)
    assert told in tried.told
    assert tried.shelf.answers == ["emma and persuasion"], "and the trial goes on"


def test_a_request_without_a_change_runs_no_changing_tool():
    lend = call("exec", path="/bin/lend", args=[], stdin="")
    tried = attempt(TurnModel([[lend, call("delete", path="/books/emma.txt")], [FIND], [completed()]]), parts=QUIET)
    assert tried.shelf.lent == 0
    assert "not run: the request asks for no such change" in tried.told
    assert "there is no tool 'delete'" in tried.told
    assert not {"write", "delete"} & {tool.name for tool in tried.model.tools[0]}


ALL = Permission()


def objects_in(schema: dict) -> list[dict]:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    found = [schema] if schema.get("type") == "object" else []
    return found + [each for one in inner for each in objects_in(one)]


def test_schemas_are_closed_and_name_what_is_required():
    tools = tools_of(TOOL_SCHEMA, ("other",), allowed=ALL, with_helpers=True)
    for each in (one for tool in tools for one in objects_in(tool.parameters)):
        assert each["additionalProperties"] is False
        assert set(each["required"]) <= set(each["properties"])
    (read,) = (each for each in tools if each.name == "read")
    assert read.parameters["required"] == ["path"]
    assert read.parameters["properties"]["start_line"] == {"type": "integer", "default": 0}


EMMA = completed(records=[{"path": "/books/emma.txt", "reason": "it says by Austen"}])


def answered(parts: str, *, formatted: str = "", message: str = "emma and persuasion", outcome: str = "OUTCOME_OK"):
    others = {"format": [json.dumps({"message": formatted})]} if formatted else {}
    end = completed(message=message, outcome=outcome, records=[{"path": "/books/emma.txt", "reason": "says by Austen"}])
    return attempt(TurnModel([[FIND], [end]], others), parts=f"classifier {parts}")


@pytest.mark.parametrize(
    ("parts", "refs"),
    [
        ("evidence-store references formatter", ("/books/emma.txt",)),
        ("references formatter", ("/books/emma.txt", "/books/persuasion.txt")),
        ("evidence-store formatter", ("/books/emma.txt",)),
        ("formatter", ("/books/emma.txt", "/books/persuasion.txt")),
        ("helpers formatter", ("/books/emma.txt",)),
    ],
)
def test_function_results_add_to_the_references(parts, refs):
    first = (
        [FIND]
        if "helpers" not in parts
        else [FIND.model_copy(update={"name": "read", "arguments": json.dumps({"path": "/books/emma.txt"})})]
    )
    tried = attempt(TurnModel([first, [EMMA]]), parts=f"classifier {parts}")
    assert tried.steps[-1].verdicts[-1].refs == refs


@pytest.mark.parametrize(
    ("formatted", "message", "outcome", "submitted"),
    [
        ("emma, persuasion", "emma and persuasion", "OUTCOME_OK", "emma, persuasion"),
        ("OUTCOME_OK: emma", "emma", "OUTCOME_OK", "emma"),
        ("there are 3", "there are 2", "OUTCOME_OK", "there are 2"),
        ("no", "yes, emma", "OUTCOME_OK", "yes, emma"),
        ("", "emma", "OUTCOME_OK", "emma"),
        ("emma", "Which one, emma or persuasion?", "OUTCOME_NONE_CLARIFICATION", "Which one, emma or persuasion?"),
        ("7", "x" * 9_000, "OUTCOME_OK", "x" * 9_000),
    ],
)
def test_a_formatter_changes_the_form_alone(formatted, message, outcome, submitted):
    tried = answered("references evidence-store", formatted=formatted, message=message, outcome=outcome)
    assert tried.steps[-1].verdicts[-1].answer == submitted


@pytest.mark.parametrize(
    ("says", "outcome", "message"),
    [
        ({"paid": True, "blocked": False, "until": ""}, "OUTCOME_NONE_UNSUPPORTED", "Is pay-7 meant?"),
        ({"paid": False, "blocked": False, "until": ""}, "OUTCOME_NONE_CLARIFICATION", "Is pay-7 meant?"),
        (
            {"paid": False, "blocked": True, "until": "2031-05-04T10:00:00Z"},
            "OUTCOME_NONE_UNSUPPORTED",
            "Is pay-7 meant? It is blocked until 2031-05-04T10:00:00Z.",
        ),
        (
            {"paid": False, "blocked": True, "until": "2099-01-01T00:00:00Z"},
            "OUTCOME_NONE_UNSUPPORTED",
            "Is pay-7 meant?",
        ),
        ({}, "OUTCOME_NONE_CLARIFICATION", "Is pay-7 meant?"),
    ],
)
def test_a_review_of_a_payment_in_recovery_makes_no_question_of_what_is_blocked(says, outcome, message):
    end = completed(
        message="Is pay-7 meant?",
        outcome="OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes="retry_at 2031-05-04T10:00:00Z",
    )
    model = TurnModel([[FIND], [end]], {"review": [json.dumps(says)]})
    tried = attempt(model, parts="classifier references evidence-store")
    judged = tried.steps[-1].verdicts[-1]
    assert (judged.outcome, judged.answer) == (outcome, message)
