"""What a model is told of its calls, turn by turn."""

import json

import pytest

from agent.model import Reply, ToolCall
from tests.support.exoskeleton_trials import FIND, TurnModel, attempt, call, completed

QUIET = "classifier formatter references ledger"
UNKNOWN_REF = completed(records=[{"path": "/books/none.txt", "reason": "it says by nobody"}])


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
def test_what_a_reply_is_answered_with(turn, told):
    tried = attempt(TurnModel([turn, [FIND], [completed()]]), parts=QUIET)
    assert told in tried.told
    assert tried.shelf.answers == ["emma and persuasion"], "and the trial goes on"


def test_calls_of_a_reply_are_made_in_their_order():
    read = [call("read", path=f"/books/{name}.txt") for name in ("emma", "dune", "persuasion")]
    tried = attempt(TurnModel([read, [completed()]]), parts=QUIET)
    assert [each.arguments["path"] for each in tried.steps[1].calls] == [
        json.loads(each.arguments)["path"] for each in read
    ]
    assert [*tried.steps[1].feedback] == ["by Austen", "by Herbert", "by Austen"]


def test_calls_without_an_id_get_one():
    tried = attempt(TurnModel([[FIND.model_copy(update={"id": ""})], [completed()]]), parts=QUIET)
    said = tried.model.requests[-1][1]
    assert said[-2]["tool_calls"][0].id == said[-1]["tool_call_id"] == "call_2_0"


def test_a_request_without_a_change_runs_no_changing_tool():
    lend = call("exec", path="/bin/lend", args=[], stdin="")
    tried = attempt(TurnModel([[lend, call("delete", path="/books/emma.txt")], [FIND], [completed()]]), parts=QUIET)
    assert tried.shelf.lent == 0
    assert "not run: the request asks for no such change" in tried.told
    assert "there is no tool 'delete'" in tried.told
    assert not {"write", "delete"} & {each.name for each in tried.model.tools[0]}


def test_the_warning_and_the_nudge_come_as_in_the_first_loop():
    tried = attempt(TurnModel([[FIND], [FIND], [completed()]]), parts=QUIET, max_steps=2, warn_before=1, extra_steps=2)
    assert "3 steps are left" in "".join(tried.steps[1].feedback)
    assert "regular steps are used up" in "".join(tried.steps[2].feedback)


def test_long_results_lose_their_middle():
    from agent.opening.shown_results import LONGEST_RESULT, shown_result
    from tests.support.library import BOOKS_BY

    shown = shown_result(BOOKS_BY, {"value": ["x" * 50_000], "refs": [], "notes": []})
    assert LONGEST_RESULT < len(shown) < LONGEST_RESULT + 200
    assert "characters are left out" in shown
