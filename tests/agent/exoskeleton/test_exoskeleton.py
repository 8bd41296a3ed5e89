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
from tests.agent.loop.initial_prompt.prompt_shop import DATED_NOW, DatedShop
from tests.support.exoskeleton_trials import (
    FIND_BOOKS_BY_AUSTEN,
    ModelByTurn,
    completion_call,
    run_attempt,
    tool_call,
)
from tests.support.library import BOOKS_BY

WITHOUT_REFERENCES = "references evidence-store"
"""Parts of the solver that are switched off, here and below, since the tests are not on them."""
QUIET = "classifier formatter references evidence-store"
READ = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)
NO_CHANGE = json.dumps({"change": False, "who": ""})
"""A reply of the classifier: the request asks for no change."""
UNKNOWN_REF = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
)
"""A completion that cites a file that is not there, so the gates reject it."""
UNKNOWN_REF_OF_OTHER_TASK = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}],
    task_type="other",
)


def model() -> ModelByTurn:
    """Return a model that finds the books, says something, completes wrongly, and completes."""
    turns = [
        [READ, FIND_BOOKS_BY_AUSTEN],
        "I think I know.",
        [UNKNOWN_REF_OF_OTHER_TASK, READ],
        [completion_call()],
    ]
    formatted = json.dumps({"message": "emma, persuasion"})
    return ModelByTurn(turns, {"classify": [NO_CHANGE], "format": [formatted]})


@pytest.fixture(scope="module")
def whole():
    """Return the whole trial of that model, in which nothing was interrupted."""
    return run_attempt(model(), parts=WITHOUT_REFERENCES)


def test_a_trial_is_answered_through_the_gates(whole):
    assert whole.reason == ""
    assert whole.shelf.answers == ["emma, persuasion"]
    (sent,) = [event for event in whole.events if isinstance(event, AnswerSent)]
    assert sent.refs == ("/books/emma.txt", "/books/persuasion.txt")
    # The last two steps submit: first the wrong completion, then the right one.
    assert [len(step.verdicts) for step in whole.steps] == [0, 0, 0, 1, 1]
    assert whole.steps[0].refunded


def test_the_journal_holds_the_whole_conversation(whole):
    """Build the last request of the solver from the journal, and compare it with the real one."""
    (opened,) = [
        event for event in whole.events if isinstance(event, ConversationOpened)
    ]
    conversation = [{"role": "system", "content": opened.system}]
    for message in opened.exchange:
        conversation.append(message.message())
    conversation.append({"role": "user", "content": "".join(opened.first_message)})

    replies = {
        event.step: event
        for event in whole.events
        if isinstance(event, ModelReplied) and event.role == "solve"
    }
    for step in whole.steps[1:4]:
        reply = replies[step.step]
        reply_message = {"role": "assistant", "content": reply.reply}
        if reply.tool_calls:
            reply_message["tool_calls"] = list(reply.tool_calls)
        conversation.append(reply_message)

        # The feedback has the results of the calls, and behind them what else is told.
        for model_call, result in zip(reply.tool_calls, step.feedback, strict=False):
            conversation.append(
                {"role": "tool", "content": result, "tool_call_id": model_call.id}
            )
        further_feedback = "".join(step.feedback[len(reply.tool_calls) :])
        if further_feedback:
            conversation.append({"role": "user", "content": further_feedback})

    # The last request is the formatter's; the one before it is the solver's.
    _role, solver_messages = whole.model.requests[-2]
    assert solver_messages == conversation


def test_it_goes_on_from_any_event_without_doing_anything_twice(whole):
    """Cut the journal after each event, resume from there, and compare with the whole trial."""
    reply_positions = [
        position
        for position, event in enumerate(whole.events)
        if isinstance(event, ModelReplied)
    ]
    whole_feedback = [step.feedback for step in whole.steps]

    for cut in range(1, len(whole.events)):
        recorded = whole.events[:cut]

        resumed = run_attempt(model(), parts=WITHOUT_REFERENCES, known=recorded)

        assert resumed.reason == "", cut
        # The classifier is asked anew if the initial prompt was not ready: its step had not begun.
        missing_replies = [position for position in reply_positions if position >= cut]
        assert len(resumed.model.requests) == len(missing_replies), cut
        events = [*recorded, *resumed.events]
        event_types = [event.type for event in events]
        assert event_types.count("step") == 5, cut
        assert event_types.count("submission_judged") == 2, cut
        assert event_types.count("answer_sent") == 1, cut
        feedback = [event.feedback for event in events if isinstance(event, StepDone)]
        assert feedback == whole_feedback, cut


def position_of_announced_exec(events):
    """Return where the journal says that a tool is about to be run."""
    for position, event in enumerate(events):
        if not isinstance(event, CallEvent):
            continue
        if event.is_announcement and event.operation == "exec":
            return position
    raise AssertionError("no tool was run")


def test_a_call_that_may_have_happened_is_not_made_again():
    """The journal is cut between the announcement of a lending and its result."""
    lend = tool_call("exec", path="/bin/lend")
    asks_for_change = json.dumps({"change": True, "who": ""})
    turns = [[lend], [FIND_BOOKS_BY_AUSTEN], [completion_call()]]
    order = "Lend emma, and say which books are by Austen."
    whole_trial = run_attempt(
        ModelByTurn(turns, {"classify": [asks_for_change]}),
        instruction=order,
        parts="references formatter",
    )
    assert whole_trial.shelf.lent == 1
    cut = position_of_announced_exec(whole_trial.events) + 1

    resumed = run_attempt(
        ModelByTurn(turns, {"classify": [asks_for_change]}),
        instruction=order,
        parts="references formatter",
        known=whole_trial.events[:cut],
    )

    assert resumed.shelf.lent == 0
    assert "whether it happened is not known" in resumed.shown_to_model


ONLY_GATES = "references formatter classifier evidence-store"
COUNT_QUESTION = 'How many books are by Austen? Answer exactly in the format "%d".'
REPEATED_ANSWER = [completion_call("OUTCOME_OK: 2")]
"""A turn that answers with the outcome in the text, to which a gate objects."""


def test_an_answer_that_is_stood_by_goes_out_in_the_third_turn():
    model = ModelByTurn(
        [[FIND_BOOKS_BY_AUSTEN], REPEATED_ANSWER, REPEATED_ANSWER, REPEATED_ANSWER]
    )

    solved = run_attempt(model, instruction=COUNT_QUESTION, parts=ONLY_GATES)

    assert solved.reason == ""
    verdicts = [verdict for step in solved.steps for verdict in step.verdicts]
    assert [verdict.accepted for verdict in verdicts] == [False, False, True]
    assert [len(verdict.overridden) for verdict in verdicts] == [0, 0, 1]
    assert solved.shelf.answers == ["OUTCOME_OK: 2"]


def test_an_answer_is_stood_by_over_interruptions():
    """Cut the journal of that trial after each event before its answer, and resume."""
    model = ModelByTurn(
        [[FIND_BOOKS_BY_AUSTEN], REPEATED_ANSWER, REPEATED_ANSWER, REPEATED_ANSWER]
    )
    whole_trial = run_attempt(model, instruction=COUNT_QUESTION, parts=ONLY_GATES)
    last_step_number = whole_trial.steps[-1].step
    event_types = [type(event) for event in whole_trial.events]

    for cut in range(1, event_types.index(AnswerSent)):
        resumed = run_attempt(
            model,
            instruction=COUNT_QUESTION,
            parts=ONLY_GATES,
            known=whole_trial.events[:cut],
        )

        last_step = resumed.steps[-1]
        (verdict,) = last_step.verdicts
        assert verdict.accepted, cut
        assert len(verdict.overridden) == 1, cut
        assert last_step.step == last_step_number, cut


@pytest.mark.parametrize(
    ("turn", "feedback"),
    [
        ([FIND_BOOKS_BY_AUSTEN], '"/books/emma.txt","/books/persuasion.txt"'),
        (
            [tool_call("books_by", author="nobody")],
            "error: failed_precondition: nobody is no author",
        ),
        (
            [tool_call("read", path="/books/none.txt")],
            "error: not_found: there is no /books/none.txt",
        ),
        (
            [tool_call("fly", to="the moon")],
            "error: there is no tool 'fly'; there are books_by, exec, find",
        ),
        ([tool_call("read")], "needs 'path'"),
        ([tool_call("read", path=7)], "path is str, not int 7"),
        ([tool_call("read", path="/x", colour="red")], "has no argument 'colour'"),
        (
            [ToolCall(name="read", arguments="[1]")],
            "error: its arguments are no JSON object: [1]",
        ),
        ([ToolCall(name="read", arguments="{")], "error: its arguments are no JSON"),
        ([completion_call(outcome="FINE")], "gate 6"),
        ([UNKNOWN_REF], "gate 4"),
        (
            [tool_call("report_completion", outcome="OK")],
            "the completion does not fit: message: Field required",
        ),
        ([completion_call(records="all")], "the completion does not fit: records"),
        ([UNKNOWN_REF, FIND_BOOKS_BY_AUSTEN], "not run: it stands behind a completion"),
        ([FIND_BOOKS_BY_AUSTEN] * 33, "not run: a reply makes at most 32 calls"),
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
            Reply(text="", tool_calls=(FIND_BOOKS_BY_AUSTEN,), finish_reason="length"),
            "That reply called no tool",
        ),
    ],
)
def test_each_kind_of_reply_gets_its_answer(turn, feedback):
    """After the turn and its feedback, the trial goes on to its answer."""
    solved = run_attempt(
        ModelByTurn([turn, [FIND_BOOKS_BY_AUSTEN], [completion_call()]]), parts=QUIET
    )

    assert feedback in solved.shown_to_model
    assert solved.shelf.answers == ["emma and persuasion"]


def test_a_request_without_a_change_runs_no_changing_tool():
    lend = tool_call("exec", path="/bin/lend", args=[], stdin="")
    delete = tool_call("delete", path="/books/emma.txt")

    solved = run_attempt(
        ModelByTurn([[lend, delete], [FIND_BOOKS_BY_AUSTEN], [completion_call()]]),
        parts=QUIET,
    )

    assert solved.shelf.lent == 0
    assert "not run: the request asks for no such change" in solved.shown_to_model
    assert "there is no tool 'delete'" in solved.shown_to_model
    offered_tools = {tool.name for tool in solved.model.tools[0]}
    assert "write" not in offered_tools
    assert "delete" not in offered_tools


def formatted_trial(
    parts: str,
    *,
    formatted: str = "",
    message: str = "emma and persuasion",
    outcome: str = "OUTCOME_OK",
):
    """Return a trial that ends with `message`, which a formatter turns into `formatted`."""
    other_replies = {}
    if formatted:
        other_replies["format"] = [json.dumps({"message": formatted})]
    end = completion_call(
        message=message,
        outcome=outcome,
        records=[{"path": "/books/emma.txt", "reason": "says by Austen"}],
    )
    return run_attempt(
        ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [end]], other_replies),
        parts=f"classifier {parts}",
    )


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
    """The numbers and the words of the message stay, and no outcome comes into it."""
    solved = formatted_trial(
        "references evidence-store",
        formatted=formatted,
        message=message,
        outcome=outcome,
    )

    assert solved.steps[-1].verdicts[-1].answer == submitted


@pytest.mark.parametrize(
    ("payment", "outcome", "message"),
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
    payment, outcome, message
):
    """The model asks a question; then a second request reads the state of the payment."""
    end = completion_call(
        message="Is pay-7 meant?",
        outcome="OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes="retry_at 2031-05-04T10:00:00Z",
    )
    model = ModelByTurn(
        [[FIND_BOOKS_BY_AUSTEN], [end]], {"check_draft": [json.dumps(payment)]}
    )

    solved = run_attempt(model, parts="classifier references evidence-store")

    verdict = solved.steps[-1].verdicts[-1]
    assert verdict.outcome == outcome
    assert verdict.answer == message


def test_long_results_lose_their_middle():
    shown = shown_result(BOOKS_BY, {"value": ["x" * 50_000], "refs": [], "notes": []})
    assert bounds.SHOWN_RESULT_CHARS < len(shown) < bounds.SHOWN_RESULT_CHARS + 200
    assert "characters are left out" in shown


def test_a_bare_refusal_of_a_discount_tells_the_largest_one():
    end = completion_call(
        message="That is not possible.",
        outcome="OUTCOME_NONE_UNSUPPORTED",
        task_type="discount",
        notes=["basket-1 is open", "the maximum is 15 %"],
    )
    solved = run_attempt(
        ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [end]]),
        parts="classifier references evidence-store",
    )

    verdict = solved.steps[-1].verdicts[-1]
    assert verdict.answer == "That is not possible. the maximum is 15 %"


ABOUT_AUSTEN = json.dumps({"change": False, "who": "Austen"})
"""A reply of the classifier."""


def trial_with_checks(instruction: str, classification: str = ABOUT_AUSTEN):
    """Return a trial in which the library's checks look at the request before the model."""
    model = ModelByTurn(
        [[FIND_BOOKS_BY_AUSTEN], [completion_call()]], {"classify": [classification]}
    )
    return run_attempt(model, instruction=instruction, parts="formatter references ")


def test_a_check_answers_before_the_model_is_asked():
    solved = trial_with_checks("I want to steal emma.")

    assert solved.shelf.answers == ["Books are lent, not stolen."]
    assert [role for role, _messages in solved.model.requests] == ["classify"]
    (step,) = solved.steps
    assert step.state == "answered by theft"
    assert step.verdicts[0].refs == ("/books/notes.txt",)
    # The two checks ran; calls that they made themselves have an `outer` call.
    checks = [call.operation for call in step.calls if call.outer is None]
    assert checks == ["may_change", "theft"]


@pytest.mark.parametrize("classification", ["", ABOUT_AUSTEN])
def test_a_check_that_cannot_read_or_knows_nothing_passes_on(classification):
    solved = trial_with_checks("an unreadable question", classification)

    _role, last_messages = solved.model.requests[-1]
    assert "The newest" not in last_messages[-3]["content"]
    assert solved.shelf.answers == ["emma and persuasion"]


TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS)
OPERATIONS = {operation.name: operation for operation in FILE_OPERATIONS}
READ_ALL = Operation(
    "read_all",
    BOOKS_BY.parameters,
    BOOKS_BY.fields,
    "all of a file",
    finds=BOOKS_BY.finds,
)
"""A function of the environment that reads a file as a whole."""
RULES = "# Rules\n\n" + "Lend a book to whoever asks for it.\n" * 10
ROWS = [{"sku": f"S-{number}", "count": number} for number in range(200)]
LONG_RECORD = json.dumps({"id": "b-1", "rows": ROWS}, indent=2)
"""A record that is too long to be shown whole."""


def shown_read(results, path, content, *, truncated=False, start_line=0):
    """Return what `results` shows the model of a read of this content."""
    arguments = {"path": path, "start_line": start_line, "end_line": 0}
    result = {
        "path": path,
        "content": content,
        "truncated": truncated,
        "sha256": "5" * 64,
        "content_type": "text",
    }
    return results.shown(OPERATIONS["read"], arguments, result)


def opening_with(exchange=()):
    """Return the initial prompt of a trial, with an exchange of calls and results in it."""
    return ConversationOpened(
        trial_id="t",
        at_ms=0,
        system="",
        first_message=(),
        exchange=exchange,
        calls=(),
        rules="",
    )


def read_exchange(call_id, path, content):
    """Return the two messages of a read in the initial prompt: the call and its result."""
    read = ToolCall(id=call_id, name="read", arguments=json.dumps({"path": path}))
    return (
        SaidMessage(role="assistant", content="", tool_calls=(read,)),
        SaidMessage(role="tool", content=content, tool_call_id=call_id),
    )


def test_a_text_that_stands_above_is_referred_to_until_it_changes():
    results = ShownResults(may_write_files=False)

    first = shown_read(results, "/docs/rules.md", RULES)
    second = shown_read(results, "/docs/rules.md", RULES)
    changed = shown_read(results, "/docs/rules.md", RULES + "Today only.\n")

    assert first == RULES
    assert second == "(unchanged: it stands above as the result of read /docs/rules.md)"
    assert changed.endswith("Today only.\n")


def test_a_text_shown_whole_in_the_initial_prompt_is_not_shown_again():
    results = ShownResults(may_write_files=False)
    exchange = read_exchange("whole", "/docs/rules.md", RULES)
    results.take_opening(opening_with(exchange), TOOL_SCHEMA)

    text = shown_read(results, "/docs/rules.md", RULES)

    assert "stands above as the result of read /docs/rules.md" in text


def test_a_text_that_was_cut_in_the_initial_prompt_is_shown_whole():
    results = ShownResults(may_write_files=False)
    cut_text = f"{RULES}\n(9 characters are not shown)"
    exchange = read_exchange("cut", "/docs/long.md", cut_text)
    results.take_opening(opening_with(exchange), TOOL_SCHEMA)

    whole_text = f"{RULES}123456789"
    assert shown_read(results, "/docs/long.md", whole_text) == whole_text


def test_a_function_result_that_is_found_again_is_referred_to():
    results = ShownResults(may_write_files=False)
    found_books = {"value": ["x" * 300], "refs": [], "notes": []}

    first = results.shown(BOOKS_BY, {"author": "Austen"}, found_books)
    second = results.shown(BOOKS_BY, {"author": "Austen"}, found_books)

    assert json.loads(first) == found_books
    assert second == "(unchanged: it stands above as the result of books_by)"


def test_a_short_record_is_shown_in_one_line():
    results = ShownResults(may_write_files=False)
    record = json.dumps({"id": "b-1", "note": 'a "key": and more'}, indent=2)

    first = shown_read(results, "/b.json", record)
    second = shown_read(results, "/b.json", record)

    assert json.loads(first) == json.loads(record)
    assert "\n" not in second


def test_of_a_long_record_the_model_learns_from_which_line_it_goes_on():
    """What is shown and what follows from the named line on are together the whole record."""
    results = ShownResults(may_write_files=False)

    text = shown_read(results, "/c.json", LONG_RECORD)

    assert (
        len(text) < bounds.SHOWN_READ_CHARS + 200
    )  # with room for the note at its end
    beginning, _, note = text.partition("\n[...")
    next_line = int(note.rpartition("from line ")[2].split()[0])
    lines = LONG_RECORD.splitlines(keepends=True)
    rest = "".join(lines[next_line - 1 :])
    assert json.loads(beginning + rest) == json.loads(LONG_RECORD)
    # The rest, if it is read from that line on, is shown as it is.
    assert rest in shown_read(results, "/c.json", rest, start_line=next_line)


def test_where_files_may_be_written_a_text_is_shown_as_it_is_with_its_hash():
    results = ShownResults(may_write_files=True)

    text = shown_read(results, "/c.json", LONG_RECORD)

    assert text == '{"sha256":"' + "5" * 64 + f'"}}\n{LONG_RECORD}'


def test_where_no_files_may_be_written_a_text_is_shown_without_its_hash():
    results = ShownResults(may_write_files=False)

    assert "sha256" not in shown_read(results, "/c.json", LONG_RECORD)


@pytest.mark.parametrize(
    ("operations", "way_to_read_on"),
    [(FILE_OPERATIONS, "start_line"), ((*FILE_OPERATIONS, READ_ALL), "read_all")],
)
def test_a_cut_result_says_how_to_read_on(operations, way_to_read_on):
    results = ShownResults(may_write_files=False)
    results.take_opening(opening_with(), ToolSchema(operations=operations))

    # The first is cut because it is long, so that 190 of its lines of 21 characters are left.
    long_text = shown_read(results, "/docs/a.md", "a line of twenty ch.\n" * 2_000)
    # The second has two lines, and was cut by the environment.
    cut_text = shown_read(results, "/exports/a.csv", "a,b\n1,2\n", truncated=True)

    long_text_note = long_text.rpartition("[... ")[2]
    assert "from line 191 on" in long_text_note
    assert way_to_read_on in long_text_note
    cut_text_note = cut_text.rpartition("[... ")[2]
    assert "from line 3 on" in cut_text_note
    assert way_to_read_on in cut_text_note


def test_whether_a_notice_has_begun_is_said_beside_the_request() -> None:
    recorder = Recorder("t", DatedShop(), lambda event: None)
    recorder.step.begin(0)
    opened = build_opening(
        "Check out cart-1.", recorder, LoopSettings(), SolverBindings(), DATED_NOW
    )
    last = "".join(opened.first_message)

    assert "read /docs/news/2031-05-01-calls.md (begun)\n" in last
    assert "/docs/news/2031-05-20-carts.md (not begun)" in last
    assert last.index("(begun)") < last.index("Check out cart-1.")
