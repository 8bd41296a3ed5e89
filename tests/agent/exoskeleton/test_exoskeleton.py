"""Whole trials of the second solver, from any event on
and with parts switched off; and what it shows of results."""

import json

import pytest

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    ConversationOpened,
    ModelReplied,
    SaidMessage,
    StepDone,
)
from controlplane.agent.evidence import Recorder
from controlplane.agent.exoskeleton import SolverBindings
from controlplane.agent.exoskeleton.opening import build_opening
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.shown.shown_texts import shown_result
from controlplane.agent.loop import LoopSettings
from controlplane.agent.model import Reply, ToolCall
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    ToolSchema,
    bounds,
)
from tests.agent.loop.initial_prompt.test_initial_prompt import (
    DATED_NOW,
    FILES,
    NOTICES,
    Dated,
)
from tests.support.exoskeleton_trials import FIND, TurnModel, attempt, call, completed
from tests.support.library import BOOKS_BY

OFF = "references evidence-store"
NOTHING = json.dumps({"change": False, "who": ""})
FORMATTED = json.dumps({"message": "emma, persuasion"})
READ = call("read", path="/books/emma.txt", start_line=0, end_line=0)
WRONG = completed(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}],
    task_type="other",
)
QUIET = "classifier formatter references evidence-store"
UNKNOWN_REF = completed(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
)


def model() -> TurnModel:
    """Reads and finds at once, says something, completes wrongly beside a read, completes."""
    others = {"classify": [NOTHING], "format": [FORMATTED]}
    return TurnModel(
        [[READ, FIND], "I think I know.", [WRONG, READ], [completed()]], others
    )


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
    (opened,) = [
        event for event in whole.events if isinstance(event, ConversationOpened)
    ]
    said = [
        {"role": "system", "content": opened.system},
        *(turn.message() for turn in opened.exchange),
    ]
    said.append({"role": "user", "content": "".join(opened.first_message)})
    replies = {
        event.step: event
        for event in whole.events
        if isinstance(event, ModelReplied) and event.role == "solve"
    }
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
    replied = [
        at for at, each in enumerate(whole.events) if isinstance(each, ModelReplied)
    ]
    for cut in range(1, len(whole.events)):
        known = whole.events[:cut]
        again = attempt(model(), parts=OFF, known=known)
        events = [*known, *again.events]
        assert again.reason == "", cut
        # The classifier is asked anew if the initial prompt was not ready: its step had not begun.
        assert len(again.model.requests) == sum(at >= cut for at in replied), cut
        kinds = [event.type for event in events]
        assert (
            kinds.count("step"),
            kinds.count("submission_judged"),
            kinds.count("answer_sent"),
        ) == (5, 2, 1), cut
        assert [event.feedback for event in events if isinstance(event, StepDone)] == [
            step.feedback for step in whole.steps
        ], cut


def test_a_call_that_may_have_happened_is_not_made_again():
    lend = call("exec", path="/bin/lend")
    others = {"classify": [json.dumps({"change": True, "who": ""})]}
    script = [[lend], [FIND], [completed()]]
    order = "Lend emma, and say which books are by Austen."
    tried = attempt(
        TurnModel(script, others), instruction=order, parts="references formatter"
    )

    assert tried.shelf.lent == 1
    cut = next(
        at
        for at, each in enumerate(tried.events)
        if isinstance(each, CallEvent)
        and each.is_announcement
        and each.operation == "exec"
    )
    known = tried.events[: cut + 1]
    again = attempt(
        TurnModel(script, others),
        instruction=order,
        parts="references formatter",
        known=known,
    )
    assert again.shelf.lent == 0
    assert "whether it happened is not known" in again.told


ALONE = "references formatter classifier evidence-store"
COUNT = 'How many books are by Austen? Answer exactly in the format "%d".'
SAID = [completed("OUTCOME_OK: 2")]


def test_an_answer_that_is_stood_by_goes_out_in_the_third_turn_also_over_interruptions():
    model = TurnModel([[FIND], SAID, SAID, SAID])
    whole = attempt(model, instruction=COUNT, parts=ALONE)
    found = [
        (judged.accepted, len(judged.overridden))
        for step in whole.steps
        for judged in step.verdicts
    ]

    assert (whole.reason, found) == ("", [(False, 0), (False, 0), (True, 1)])
    assert whole.shelf.answers == ["OUTCOME_OK: 2"]
    for cut in range(
        1,
        next(
            at for at, each in enumerate(whole.events) if isinstance(each, AnswerSent)
        ),
    ):
        again = attempt(model, instruction=COUNT, parts=ALONE, known=whole.events[:cut])
        (judged,) = again.steps[-1].verdicts
        assert (judged.accepted, len(judged.overridden), again.steps[-1].step) == (
            True,
            1,
            whole.steps[-1].step,
        ), cut


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        ([FIND], '"/books/emma.txt","/books/persuasion.txt"'),
        (
            [call("books_by", author="nobody")],
            "error: failed_precondition: nobody is no author",
        ),
        (
            [call("read", path="/books/none.txt")],
            "error: not_found: there is no /books/none.txt",
        ),
        (
            [call("fly", to="the moon")],
            "error: there is no tool 'fly'; there are books_by, exec, find",
        ),
        ([call("read")], "needs 'path'"),
        ([call("read", path=7)], "path is str, not int 7"),
        ([call("read", path="/x", colour="red")], "has no argument 'colour'"),
        (
            [ToolCall(name="read", arguments="[1]")],
            "error: its arguments are no JSON object: [1]",
        ),
        ([ToolCall(name="read", arguments="{")], "error: its arguments are no JSON"),
        ([completed(outcome="FINE")], "gate 6"),
        ([UNKNOWN_REF], "gate 4"),
        (
            [call("report_completion", outcome="OK")],
            "the completion does not fit: message: Field required",
        ),
        ([completed(records="all")], "the completion does not fit: records"),
        ([UNKNOWN_REF, FIND], "not run: it stands behind a completion"),
        ([FIND] * 33, "not run: a reply makes at most 32 calls"),
        ("The books are emma and persuasion.", "That reply called no tool"),
        (
            '{"calls": [{"name": "books_by", "arguments": {"author": "Austen"}}]}',
            '<result of="books_by">',
        ),
        (
            '```json\n[{"name": "books_by", "arguments": {"author": "Austen"}}]\n```',
            '<result of="books_by">',
        ),
        (
            '{"calls": [{"name": "books_by", "arguments": {}}, {"name": "fly", "arguments": {}}]}',
            "no tool 'fly'",
        ),
        (
            Reply(text="", tool_calls=(FIND,), finish_reason="length"),
            "That reply called no tool",
        ),
    ],
)
def test_each_kind_of_reply_gets_its_answer(turn, told):
    tried = attempt(TurnModel([turn, [FIND], [completed()]]), parts=QUIET)
    assert told in tried.told
    assert tried.shelf.answers == ["emma and persuasion"], "and the trial goes on"


def test_a_request_without_a_change_runs_no_changing_tool():
    lend = call("exec", path="/bin/lend", args=[], stdin="")
    tried = attempt(
        TurnModel(
            [[lend, call("delete", path="/books/emma.txt")], [FIND], [completed()]]
        ),
        parts=QUIET,
    )

    assert tried.shelf.lent == 0
    assert "not run: the request asks for no such change" in tried.told
    assert "there is no tool 'delete'" in tried.told
    assert not {"write", "delete"} & {tool.name for tool in tried.model.tools[0]}


def answered(
    parts: str,
    *,
    formatted: str = "",
    message: str = "emma and persuasion",
    outcome: str = "OUTCOME_OK",
):
    others = {"format": [json.dumps({"message": formatted})]} if formatted else {}
    end = completed(
        message=message,
        outcome=outcome,
        records=[{"path": "/books/emma.txt", "reason": "says by Austen"}],
    )
    return attempt(TurnModel([[FIND], [end]], others), parts=f"classifier {parts}")


@pytest.mark.parametrize(
    ("formatted", "message", "outcome", "submitted"),
    [
        ("emma, persuasion", "emma and persuasion", "OUTCOME_OK", "emma, persuasion"),
        ("OUTCOME_OK: emma", "emma", "OUTCOME_OK", "emma"),
        ("there are 3", "there are 2", "OUTCOME_OK", "there are 2"),
        ("no", "yes, emma", "OUTCOME_OK", "yes, emma"),
        ("", "emma", "OUTCOME_OK", "emma"),
        (
            "emma",
            "Which one, emma or persuasion?",
            "OUTCOME_NONE_CLARIFICATION",
            "Which one, emma or persuasion?",
        ),
        ("7", "x" * 9_000, "OUTCOME_OK", "x" * 9_000),
    ],
)
def test_a_formatter_changes_the_form_alone(formatted, message, outcome, submitted):
    tried = answered(
        "references evidence-store",
        formatted=formatted,
        message=message,
        outcome=outcome,
    )

    assert tried.steps[-1].verdicts[-1].answer == submitted


@pytest.mark.parametrize(
    ("says", "outcome", "message"),
    [
        (
            {"paid": True, "blocked": False, "until": ""},
            "OUTCOME_NONE_UNSUPPORTED",
            "Is pay-7 meant?",
        ),
        (
            {"paid": False, "blocked": False, "until": ""},
            "OUTCOME_NONE_CLARIFICATION",
            "Is pay-7 meant?",
        ),
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
def test_a_review_of_a_payment_in_recovery_makes_no_question_of_what_is_blocked(
    says, outcome, message
):
    end = completed(
        message="Is pay-7 meant?",
        outcome="OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes="retry_at 2031-05-04T10:00:00Z",
    )
    model = TurnModel([[FIND], [end]], {"check_draft": [json.dumps(says)]})
    tried = attempt(model, parts="classifier references evidence-store")
    judged = tried.steps[-1].verdicts[-1]

    assert (judged.outcome, judged.answer) == (outcome, message)


def test_long_results_lose_their_middle():
    shown = shown_result(BOOKS_BY, {"value": ["x" * 50_000], "refs": [], "notes": []})
    assert bounds.SHOWN_RESULT_CHARS < len(shown) < bounds.SHOWN_RESULT_CHARS + 200
    assert "characters are left out" in shown


def test_a_bare_refusal_of_a_discount_tells_the_largest_one():
    end = completed(
        message="That is not possible.",
        outcome="OUTCOME_NONE_UNSUPPORTED",
        task_type="discount",
        notes=["basket-1 is open", "the maximum is 15 %"],
    )
    tried = attempt(
        TurnModel([[FIND], [end]]), parts="classifier references evidence-store"
    )

    assert (
        tried.steps[-1].verdicts[-1].answer
        == "That is not possible. the maximum is 15 %"
    )


SAYS = json.dumps({"change": False, "who": "Austen"})


def played(instruction: str, parts: str = "", says: str = SAYS):
    model = TurnModel([[FIND], [completed()]], {"classify": [says]})
    return attempt(
        model, instruction=instruction, parts=f"formatter references {parts}"
    )


def test_a_check_answers_before_the_model_is_asked():
    tried = played("I want to steal emma.")
    assert tried.shelf.answers == ["Books are lent, not stolen."]
    assert [role for role, _ in tried.model.requests] == ["classify"]
    (step,) = tried.steps
    assert (step.state, step.verdicts[0].refs) == (
        "answered by theft",
        ("/books/notes.txt",),
    )
    assert [call.operation for call in step.calls if call.outer is None] == [
        "may_change",
        "theft",
    ]


@pytest.mark.parametrize("says", ["", SAYS])
def test_a_check_that_cannot_read_or_knows_nothing_passes_on(says):
    tried = played("an unreadable question", says=says)
    assert "The newest" not in tried.model.requests[-1][1][-3]["content"]
    assert tried.shelf.answers == ["emma and persuasion"]


TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS)
READ_FILE = next(operation for operation in FILE_OPERATIONS if operation.name == "read")
READ_ALL = Operation(
    "read_all",
    BOOKS_BY.parameters,
    BOOKS_BY.fields,
    "all of a file",
    finds=BOOKS_BY.finds,
)
RULES = "# Rules\n\n" + "Lend a book to whoever asks for it.\n" * 10
RECORD = json.dumps(
    {"id": "b-1", "rows": [{"sku": f"S-{at}", "count": at} for at in range(200)]},
    indent=2,
)


def read_of(results, path, content, **given):
    is_part = given.pop("truncated", False)
    result = {
        "path": path,
        "content": content,
        "truncated": is_part,
        "sha256": "5" * 64,
        "content_type": "text",
    }
    arguments = {"path": path, "start_line": 0, "end_line": 0} | given
    return results.shown(
        READ_FILE, arguments, result | {"path": path.replace("/alias", "")}
    )


def test_a_text_that_stands_above_is_referred_to_until_it_changes():
    shown = ShownResults(may_write_files=False)
    assert read_of(shown, "/docs/rules.md", RULES) == RULES
    assert (
        read_of(shown, "/docs/rules.md", RULES)
        == "(unchanged: it stands above as the result of read /docs/rules.md)"
    )
    assert read_of(shown, "/docs/rules.md", RULES + "Today only.\n").endswith(
        "Today only.\n"
    )


def test_a_text_shown_whole_in_the_initial_prompt_is_not_shown_again():
    calls = {
        "whole": ("/docs/rules.md", RULES),
        "cut": ("/docs/long.md", f"{RULES}\n(9 characters are not shown)"),
    }
    exchange = []
    for name, (path, content) in calls.items():
        call = ToolCall(id=name, name="read", arguments=json.dumps({"path": path}))
        exchange += [
            SaidMessage(role="assistant", content="", tool_calls=(call,)),
            SaidMessage(role="tool", content=content, tool_call_id=name),
        ]
    shown = ShownResults(may_write_files=False)
    opened = ConversationOpened(
        trial_id="t",
        at_ms=0,
        system="",
        first_message=(),
        exchange=tuple(exchange),
        calls=(),
        rules="",
    )
    shown.take_opening(opened, TOOL_SCHEMA)

    assert "stands above as the result of read /docs/rules.md" in read_of(
        shown, "/docs/rules.md", RULES
    )
    assert read_of(shown, "/docs/long.md", f"{RULES}123456789") == f"{RULES}123456789"


def test_a_function_result_that_is_found_again_is_referred_to():
    shown, found = (
        ShownResults(may_write_files=False),
        {"value": ["x" * 300], "refs": [], "notes": []},
    )
    first, second = (
        shown.shown(BOOKS_BY, {"author": "Austen"}, found) for _ in range(2)
    )

    assert json.loads(first) == found
    assert second == "(unchanged: it stands above as the result of books_by)"


def test_a_record_is_one_line_and_of_a_long_one_the_model_learns_from_which_line_it_goes_on():
    shown = ShownResults(may_write_files=False)
    short = json.dumps({"id": "b-1", "note": 'a "key": and more'}, indent=2)

    assert json.loads(read_of(shown, "/b.json", short)) == json.loads(short)
    assert "\n" not in read_of(shown, "/b.json", short)
    text = read_of(shown, "/c.json", RECORD)
    assert len(text) < bounds.SHOWN_READ_CHARS + 200
    line = int(text.rpartition("from line ")[2].split()[0])
    rest = "".join(RECORD.splitlines(keepends=True)[line - 1 :])
    beginning = text.partition("\n[...")[0]
    assert json.loads(beginning + rest) == json.loads(RECORD)
    assert rest in read_of(shown, "/c.json", rest, start_line=line), (
        "and it is shown as it stands"
    )


def test_where_files_may_be_written_their_texts_stand_as_they_are_with_their_hash():
    told = read_of(ShownResults(may_write_files=True), "/c.json", RECORD)
    assert told == '{"sha256":"' + "5" * 64 + f'"}}\n{RECORD}'
    assert "sha256" not in read_of(
        ShownResults(may_write_files=False), "/c.json", RECORD
    )


@pytest.mark.parametrize(
    ("operations", "way"),
    [(FILE_OPERATIONS, "start_line"), ((*FILE_OPERATIONS, READ_ALL), "read_all")],
)
def test_a_cut_result_says_how_to_read_on(operations, way):
    shown = ShownResults(may_write_files=False)
    opened = ConversationOpened(
        trial_id="t",
        at_ms=0,
        system="",
        first_message=(),
        exchange=(),
        calls=(),
        rules="",
    )
    shown.take_opening(opened, ToolSchema(operations=operations))
    long = read_of(shown, "/docs/a.md", "a line of twenty ch.\n" * 2_000)
    part = read_of(shown, "/exports/a.csv", "a,b\n1,2\n", truncated=True)
    for told, line in ((long, 191), (part, 3)):
        note = told.rpartition("[... ")[2]
        assert f"from line {line} on" in note
        assert way in note


def test_whether_a_notice_has_begun_is_said_beside_the_request() -> None:
    recorder = Recorder("t", Dated(files=FILES | NOTICES), lambda event: None)
    recorder.step.begin(0)
    opened = build_opening(
        "Check out cart-1.", recorder, LoopSettings(), SolverBindings(), DATED_NOW
    )
    last = "".join(opened.first_message)

    assert "read /docs/news/2031-05-01-calls.md (begun)\n" in last
    assert "/docs/news/2031-05-20-carts.md (not begun)" in last
    assert last.index("(begun)") < last.index("Check out cart-1.")
