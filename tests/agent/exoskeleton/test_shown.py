"""What the second solver, the *exoskeleton*, shows its model, and how it treats calls and answers.

Texts and records are shown whole, cut with a note on how to read on, or referred to if they were
shown. Wrong and surplus calls are not made, and the model is told why. An objection to an answer is
told, and the third time the answer counts. Answers are refined before they are submitted. The
first message says which notices have begun.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from controlplane.agent.events import (
    AnswerSent,
    ConversationOpened,
    Judged,
    SaidMessage,
    TrialEvent,
)
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.exoskeleton import Part, SolverBindings
from controlplane.agent.exoskeleton.exoskeleton import build_opening
from controlplane.agent.exoskeleton.shown import (
    CallResults,
    shown_result,
)
from controlplane.agent.loop import LoopSettings, TrialContext
from controlplane.agent.model import Reply, ToolCall
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    DocumentDates,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bounds,
)
from tests.agent.opening.opened_trial import SHOP_SCHEMA, Shop
from tests.support.books.attempt_result import (
    FIND_BOOKS_BY_AUSTEN,
    AttemptResult,
    ModelByTurn,
    completion_call,
    tool_call,
)
from tests.support.books.library import BOOKS_BY
from tests.support.books.solver_attempts import run_attempt

# The answer that is submitted for a trial whose model completes it with a message.
#
#     submit_by_solver(
#         completion_call("emma and persuasion"),
#         small_models={"format": '{"message": "emma, persuasion"}'},
#     ).answer == "emma, persuasion"
#
# Functions of the benchmark put the message into its form. They may ask small models, one for each
# role: the formatter (`format`), and the reviewer of drafts (`check_draft`).


def submit_by_solver(completion: ToolCall, small_models: dict[str, str]) -> Judged:
    """Play a trial whose model completes it like this, and return the answer that is submitted.

    `small_models` are the replies of small models by role, such as `{"format": "{...}"}`. A model
    that is not named fails.
    """
    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion]], small_models)
    trial = run_attempt(model, parts=[Part.PREFLIGHT, Part.FORMATTER])
    return trial.judged_answers[-1]


# What a model is told after its first reply in a trial.
#
#     feedback_on([tool_call("read")])   # "... needs 'path' ...", among the texts of the trial
#     feedback_on("The books are by Austen.")   # "... That reply called no tool ..."
#
# The trial is in a library: the model looks for books by Austen.


def feedback_on(first_reply: Sequence[ToolCall] | str | Reply) -> str:
    """Return what the model is told in a trial in which this is its first reply.

    Its next two replies find the books by Austen, and complete the trial.
    """
    model = ModelByTurn([first_reply, [FIND_BOOKS_BY_AUSTEN], [completion_call()]])

    trial = run_attempt(model, parts=[Part.PREFLIGHT])

    assert trial.shelf.answers == ["emma and persuasion"]
    return trial.shown_to_model


# The note behind the shown part of a long file, which says from which line a model can read on.
#
# Such a note is `[... from line 57 on, by start_line]`.


def line_to_read_on(note: str) -> int:
    """Return the line that a note names: `[... from line 57 on, by start_line]` -> 57."""
    text_behind = note.rpartition("from line ")[2]
    return int(text_behind.split()[0])


# The initial prompt of a trial, the first messages to the model, with files in it.
#
# The prompt has two messages for each file: a call `read`, as if the model had made it, and the result.
#
#     prompt_with_files({"/a.md": "text"})
#     ->  {"role": "assistant", "tool_calls": [read(path="/a.md")]}, {"role": "tool", "content": "text"}


def prompt_with_files(files: Mapping[str, str]) -> ConversationOpened:
    """Return the event that records a prompt with these files, such as `{"/a.md": "text"}`."""
    messages: list[SaidMessage] = []
    for path, text in files.items():
        call_id = f"read {path}"
        arguments = json.dumps({"path": path})
        call = ToolCall(id=call_id, name="read", arguments=arguments)
        messages.append(SaidMessage(role="assistant", content="", tool_calls=(call,)))
        messages.append(SaidMessage(role="tool", content=text, tool_call_id=call_id))
    return ConversationOpened(
        trial_id="t",
        at_ms=0,
        system="",
        first_message=(),
        exchange=tuple(messages),
        calls=(),
        rules="",
    )


# What the model of a trial is shown of the files that it reads.
#
#     view = ModelView()
#     view.read("/docs/rules.md", "# Rules ...")   -> "# Rules ..."
#     view.read("/docs/rules.md", "# Rules ...")   -> "(unchanged: it stands above as ...)"
#
# A file that was shown already is not sent again.

READ_OPERATION = ToolSchema(operations=FILE_OPERATIONS).operation("read")

HASH = "5" * 64
"""The hash of every file, which a model needs to write the file."""


class ModelView:
    """Shows the results of calls, and remembers which texts the model has seen."""

    def __init__(
        self,
        *,
        operations: Sequence[Operation] = FILE_OPERATIONS,
        may_write_files: bool = False,
        files_in_prompt: Mapping[str, str] | None = None,
    ) -> None:
        """Begin a trial in which the model may call these operations.

        `files_in_prompt` are the files that the initial prompt shows: `{"/a.md": "text"}`.
        """
        tool_schema = ToolSchema(operations=tuple(operations))
        prompt = prompt_with_files(files_in_prompt or {})
        self._results = CallResults.after(
            prompt, tool_schema, may_write_files=may_write_files
        )

    def read(
        self, path: str, content: str, *, start_line: int = 0, truncated: bool = False
    ) -> str:
        """Return what the model is shown of a call `read` that returned this content.

        `truncated` is True if the environment itself has returned only a part of the file.
        """
        assert READ_OPERATION is not None
        arguments = {"path": path, "start_line": start_line, "end_line": 0}
        result = {
            "path": path,
            "content": content,
            "truncated": truncated,
            "sha256": HASH,
            "content_type": "text",
        }
        return self._results.add(READ_OPERATION, arguments, result)

    def call(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return what the model is shown of any call that returned this result."""
        return self._results.add(operation, arguments, result)


# A small model, the formatter, puts the message of the main model into its form.
#
# Its reply replaces the message: `{"message": "emma, persuasion"}`. `submit_by_solver(completion,
# small_models)` returns the answer that is submitted if the main model ends a trial with this completion,
# and small models give these replies. A small model that is not named fails.


def test_the_formatter_s_message_is_submitted() -> None:
    answer = submit_by_solver(
        completion_call("emma and persuasion"),
        small_models={"format": '{"message": "emma, persuasion"}'},
    )

    assert answer.answer == "emma, persuasion"


def test_the_model_s_own_message_is_submitted_if_the_formatter_fails() -> None:
    answer = submit_by_solver(completion_call("emma and persuasion"), small_models={})

    assert answer.answer == "emma and persuasion"


def test_a_message_that_is_too_long_for_the_formatter_is_submitted_as_it_is() -> None:
    """A message of more than 8,000 characters is a table or a plan."""
    answer = submit_by_solver(
        completion_call("x" * 9_000), small_models={"format": '{"message": "x"}'}
    )

    assert answer.answer == "x" * 9_000


def test_a_question_to_the_user_is_submitted_as_it_is() -> None:
    question = completion_call("emma or persuasion?", "OUTCOME_NONE_CLARIFICATION")

    answer = submit_by_solver(
        question, small_models={"format": '{"message": "emma, persuasion"}'}
    )

    assert answer.answer == "emma or persuasion?"


# An answer to which a gate objects, and on which the model insists.
#
# Gates judge an answer before it is sent. The gate that judges the wording may be wrong, so it objects
# twice. If the model then hands in the same answer a third time, the answer is accepted, and the gate
# counts as `overridden`:
#
#     "OUTCOME_OK: 2" -> objection: the text names an outcome. An answer has another field for that.
#     "OUTCOME_OK: 2" -> the same objection
#     "OUTCOME_OK: 2" -> accepted


def attempt_to_insist(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play a trial whose model hands in the same answer three times, or resume it.

    No other part of the solver changes the answer before the gates judge it.
    """
    answer = [completion_call("OUTCOME_OK: 2")]
    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], answer, answer, answer])
    return run_attempt(
        model,
        instruction='How many books are by Austen? Answer exactly in the format "%d".',
        parts=[Part.PREFLIGHT],
        recorded=recorded,
    )


@pytest.fixture(scope="module")
def trial() -> AttemptResult:
    """The trial without an interruption."""
    return attempt_to_insist()


def test_an_answer_is_accepted_the_third_time(trial: AttemptResult) -> None:
    accepted = [judged.accepted for judged in trial.judged_answers]

    assert accepted == [False, False, True]
    reason_for_no_answer = trial.reason
    assert reason_for_no_answer == ""
    answers_sent = trial.shelf.answers  # The shelf is the environment.
    assert answers_sent == ["OUTCOME_OK: 2"]


def test_only_the_third_time_counts_as_overridden(trial: AttemptResult) -> None:
    overridden_counts = [len(judged.overridden) for judged in trial.judged_answers]

    assert overridden_counts == [0, 0, 1]


def test_a_resumed_trial_remembers_how_often_an_answer_was_given(
    trial: AttemptResult,
) -> None:
    """The process is killed after each event in turn, until the answer is sent. The answer is then
    accepted in the same step as without an interruption."""
    position_of_sending = [type(event) for event in trial.events].index(AnswerSent)

    for event_count in range(1, position_of_sending):
        resumed = attempt_to_insist(recorded=trial.events[:event_count])

        last_step = resumed.steps[-1]
        (judged,) = last_step.verdicts
        assert judged.accepted, event_count
        assert len(judged.overridden) == 1, event_count
        assert last_step.step == trial.steps[-1].step, event_count


# An answer about a payment or a discount is refined before it is submitted.
#
# The main model hands in a draft, with its notes and the type of the request: `verification` for a payment,
# `discount` for a discount. A *reviewer* (`check_draft`), which is a small model, reads both.
# `submit_by_solver(draft, small_models)` returns the answer that is submitted. A small model that has no
# reply in `small_models` fails.


def test_a_question_about_a_payment_becomes_a_refusal_if_the_reviewer_says_so() -> None:
    """The reviewer finds in the notes until when the payment is blocked."""
    draft = completion_call(
        "Is pay-7 meant?",
        "OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes="retry_at 2031-05-04T10:00:00Z",
    )

    answer = submit_by_solver(
        draft,
        small_models={
            "check_draft": '{"paid": false, "blocked": true, "until": "2031-05-04T10:00:00Z"}'
        },
    )

    assert answer.outcome == "OUTCOME_NONE_UNSUPPORTED"
    assert answer.answer == "Is pay-7 meant? It is blocked until 2031-05-04T10:00:00Z."


def test_a_question_about_a_payment_is_not_changed_if_the_reviewer_fails() -> None:
    draft = completion_call(
        "Is pay-7 meant?", "OUTCOME_NONE_CLARIFICATION", task_type="verification"
    )

    no_reviewer: dict[str, str] = {}
    answer = submit_by_solver(draft, no_reviewer)

    assert answer.outcome == "OUTCOME_NONE_CLARIFICATION"
    assert answer.answer == "Is pay-7 meant?"


def test_a_refused_discount_names_the_largest_one_that_the_notes_have() -> None:
    """No reviewer is needed: the note with the maximum is put behind the message as it is."""
    draft = completion_call(
        "That is not possible.",
        "OUTCOME_NONE_UNSUPPORTED",
        task_type="discount",
        notes=["basket-1 is open", "the maximum is 15 %"],
    )

    answer = submit_by_solver(draft, small_models={})

    assert answer.answer == "That is not possible. the maximum is 15 %"


# A call of a tool that a model writes into the text of its reply is made, if it is certain.
#
# Some models write their calls into the text, where the API has a field for calls. `feedback_on(text)`
# is what the model is told in a trial in which this text is its first reply.


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '{"calls": [{"name": "books_by", "arguments": {"author": "Austen"}}]}',
            id="JSON",
        ),
        pytest.param(
            '```json\n[{"name": "books_by", "arguments": {"author": "Austen"}}]\n```',
            id="JSON in a code block",
        ),
    ],
)
def test_a_call_written_as_text_is_made(text: str) -> None:
    """Its result is shown as a text, too."""
    assert '<result of="books_by">' in feedback_on(text)


def test_an_unknown_tool_in_calls_written_as_text_is_named() -> None:
    text = (
        '{"calls": [{"name": "books_by", "arguments": {}},'
        ' {"name": "fly", "arguments": {}}]}'
    )

    assert "no tool 'fly'" in feedback_on(text)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("The books are emma and persuasion.", id="a text without a call"),
        pytest.param(
            "{'name': 'books_by', 'arguments': {'author': {'Austen', 'Eliot'}}}",
            id="a call in Python's spelling, with a set in it",
        ),
        pytest.param(
            Reply(text="", tool_calls=(FIND_BOOKS_BY_AUSTEN,), finish_reason="length"),
            id="a reply cut off by the length limit",
        ),
    ],
)
def test_a_reply_without_a_usable_call_is_named_as_such(reply: str | Reply) -> None:
    """JSON has no sets, so the second text is not read as a call. The last reply may lack
    further calls, so the one that it has is not made."""
    assert "That reply called no tool" in feedback_on(reply)


# Calls behind the one that ends a trial, and more than 32 calls in a reply of a model, are not made.
#
# `feedback_on(calls)` is what the model is told in a trial whose first reply makes these calls.


def test_a_call_behind_a_completion_is_not_made() -> None:
    """The completion ends the step. It cites a missing file, so it does not end the trial."""
    rejected_completion = completion_call(
        records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
    )

    feedback = feedback_on([rejected_completion, FIND_BOOKS_BY_AUSTEN])

    assert "not run: it stands behind a completion" in feedback


def test_calls_beyond_the_most_calls_of_a_reply_are_not_made() -> None:
    feedback = feedback_on([FIND_BOOKS_BY_AUSTEN] * 33)

    assert "not run: a reply makes at most 32 calls" in feedback


# A model ends its trial by a call, and is told if its answer is not accepted.
#
# `completion_call` makes this call, `report_completion`. The *gates*, which are checks of answers, may
# reject the answer. `feedback_on([call])` is what the model is told after it.


@pytest.mark.parametrize(
    ("completion", "feedback"),
    [
        pytest.param(
            completion_call(outcome="FINE"),
            "gate 6",
            id="an outcome that does not exist",
        ),
        pytest.param(
            completion_call(
                records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
            ),
            "gate 4",
            id="a reference to a missing file",
        ),
    ],
)
def test_an_answer_that_a_gate_rejects_is_followed_by_its_objection(
    completion: ToolCall, feedback: str
) -> None:
    """Gate 6 looks at the answer and its outcome, and gate 4 at the files that are cited."""
    assert feedback in feedback_on([completion])


@pytest.mark.parametrize(
    ("completion", "feedback"),
    [
        pytest.param(
            tool_call("report_completion", outcome="OK"),
            "the completion does not fit: message: Field required",
            id="a completion without a message",
        ),
        pytest.param(
            completion_call(records="all"),
            "the completion does not fit: records",
            id="a completion with a wrong field",
        ),
    ],
)
def test_a_malformed_completion_gets_a_message_that_names_the_field(
    completion: ToolCall, feedback: str
) -> None:
    assert feedback in feedback_on([completion])


# A model calls tools, and is told the result of each call, or the error with which it failed.
#
# `feedback_on([call])` is what the model is told in a trial whose first reply makes this call:
# `books_by(author="Austen")` -> `"/books/emma.txt","/books/persuasion.txt"`.


@pytest.mark.parametrize(
    ("call", "feedback"),
    [
        pytest.param(
            tool_call("books_by", author="Austen"),
            '"/books/emma.txt","/books/persuasion.txt"',
            id="a function with a result",
        ),
        pytest.param(
            tool_call("books_by", author="nobody"),
            "error: failed_precondition: nobody is no author",
            id="a function that declines",
        ),
        pytest.param(
            tool_call("read", path="/books/none.txt"),
            "error: not_found: there is no /books/none.txt",
            id="a missing file",
        ),
        pytest.param(
            tool_call("fly", to="the moon"),
            "error: there is no tool 'fly'; there are books_by, exec, find",
            id="an unknown tool",
        ),
    ],
)
def test_a_call_is_followed_by_its_result_or_its_error(
    call: ToolCall, feedback: str
) -> None:
    assert feedback in feedback_on([call])


# A model's call with wrong arguments is not made, and the model is told which ones are wrong.
#
# The arguments of a call are a JSON object: `{"path": "/books/emma.txt"}`. `feedback_on([call])` is
# what the model is told in a trial whose first reply makes this call.


@pytest.mark.parametrize(
    ("call", "feedback"),
    [
        pytest.param(tool_call("read"), "needs 'path'", id="a missing argument"),
        pytest.param(
            tool_call("read", path=7),
            "path is str, not int 7",
            id="an argument of a wrong type",
        ),
        pytest.param(
            tool_call("read", path="/x", colour="red"),
            "has no argument 'colour'",
            id="an unknown argument",
        ),
        pytest.param(
            ToolCall(name="read", arguments="[1]"),
            "error: its arguments are no JSON object: [1]",
            id="arguments in a list",
        ),
        pytest.param(
            ToolCall(name="read", arguments="{"),
            "error: its arguments are no JSON",
            id="arguments that are cut off",
        ),
        pytest.param(
            ToolCall(name="read", arguments="{'path': {'/books/emma.txt'}}"),
            "error: its arguments are no JSON object",
            id="a set as an argument",
        ),
    ],
)
def test_a_call_with_wrong_arguments_gets_a_message_that_says_so(
    call: ToolCall, feedback: str
) -> None:
    assert feedback in feedback_on([call])


# A long file of which a model is shown only the beginning, and a note that says how to read on.
#
# The note is `[... from line 57 on, by start_line]`: `start_line` is a parameter of the tool `read`. If the
# environment declares a function `read_all`, which returns whole files, the note names it as well:
# `by start_line, or all by read_all(path)`.

READ_ALL = Operation(
    name="read_all",
    parameters=(Parameter("path", "str"),),
    fields=(ResultField("value"),),
    summary="all of a file",
)

OPERATIONS_AND_WAY_TO_READ_ON = pytest.mark.parametrize(
    ("operations", "way_to_read_on"),
    [
        pytest.param(FILE_OPERATIONS, "by start_line", id="without read_all"),
        pytest.param(
            (*FILE_OPERATIONS, READ_ALL),
            "by start_line, or all by read_all(path)",
            id="with read_all",
        ),
    ],
)


@OPERATIONS_AND_WAY_TO_READ_ON
def test_a_long_text_says_how_to_read_on(
    operations: Sequence[Operation], way_to_read_on: str
) -> None:
    """The file has 2,000 lines of 21 characters, with their line breaks. The note names the
    first line that is not shown."""
    view = ModelView(operations=operations)
    line = "a line of twenty ch.\n"
    shown_lines = bounds.SHOWN_READ_CHARS // len(line)

    text = view.read("/docs/a.md", line * 2_000)

    _beginning, _, note = text.rpartition("[... ")
    assert line_to_read_on(note) == shown_lines + 1
    assert way_to_read_on in note


@OPERATIONS_AND_WAY_TO_READ_ON
def test_a_text_that_the_environment_has_cut_says_how_to_read_on(
    operations: Sequence[Operation], way_to_read_on: str
) -> None:
    """The environment has returned only the first two lines of a longer file, and says that its
    result is truncated. The note names the third line."""
    view = ModelView(operations=operations)

    text = view.read("/exports/a.csv", "a,b\n1,2\n", truncated=True)

    _beginning, _, note = text.rpartition("[... ")
    assert line_to_read_on(note) == 3
    assert way_to_read_on in note


# A long result of a function is shown to the model without its middle.
#
# The beginning and the end are shown, and a note between them says how many characters are left out.


def test_a_long_function_result_loses_its_middle() -> None:
    result = {"value": ["x" * 50_000], "refs": [], "notes": []}

    text = shown_result(BOOKS_BY, result)

    assert "characters are left out" in text
    assert len(text) > bounds.SHOWN_RESULT_CHARS
    chars_for_note = 200
    assert len(text) < bounds.SHOWN_RESULT_CHARS + chars_for_note


# A long record is cut when a model reads it, and the model can read on where it was cut.
#
# A record is a JSON object in a file. Its first part is shown with less white space. A note behind this
# part names the line of the file at which the rest begins: `[... from line 57 on, by start_line]`.

# {"id": "b-1", "rows": [{"count": 0}, {"count": 1}, ...]}, in many lines
LONG_RECORD = json.dumps(
    {"id": "b-1", "rows": [{"count": number} for number in range(400)]}, indent=2
)


def lines_from(text: str, first_line: int) -> str:
    """Return the lines of a text from this one on, counted from 1, as the call `read` does."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[first_line - 1 :])


def test_a_long_record_is_cut() -> None:
    """A model is shown at most `SHOWN_READ_CHARS` characters of a file, and the note."""
    text = ModelView().read("/c.json", LONG_RECORD)

    chars_for_note = 200
    assert len(text) < bounds.SHOWN_READ_CHARS + chars_for_note


def test_the_shown_part_and_the_rest_have_the_whole_record() -> None:
    """The white space of the two parts differs, so what they mean is compared."""
    text = ModelView().read("/c.json", LONG_RECORD)

    shown_part, _, note = text.partition("\n[...")
    rest = lines_from(LONG_RECORD, line_to_read_on(note))
    assert json.loads(shown_part + rest) == json.loads(LONG_RECORD)


def test_the_rest_of_a_long_record_keeps_its_white_space() -> None:
    """The model reads on from the line that the note names. The rest alone is not valid JSON, so
    its white space is not known to mean nothing."""
    view = ModelView()
    next_line = line_to_read_on(view.read("/c.json", LONG_RECORD))
    rest = lines_from(LONG_RECORD, next_line)

    shown_rest = view.read("/c.json", rest, start_line=next_line)

    assert rest in shown_rest


# A model that may write files is shown their exact texts, with their hashes.
#
# A call that writes a file must name its hash, so that it does not overwrite what somebody else has
# written since. `view.read(path, text)` returns how the text of a file is shown, with the hash `HASH`:
# `{"sha256":"5555..."}` in a line before the text.


def test_if_files_may_be_written_a_text_is_shown_with_its_hash() -> None:
    view = ModelView(may_write_files=True)

    text = view.read("/loans.csv", "id,book\n7,emma\n")

    assert text == f'{{"sha256":"{HASH}"}}\nid,book\n7,emma\n'


def test_a_document_is_shown_without_its_hash() -> None:
    """Documents are hardly ever written."""
    view = ModelView(may_write_files=True)

    text = view.read("/docs/rules.md", "# Rules\n\nLend a book.\n")

    assert text == "# Rules\n\nLend a book.\n"


def test_if_files_may_be_written_a_long_record_is_shown_exactly() -> None:
    """It is neither cut, nor are its line breaks left out: the model may have to write it
    again."""
    rows = [{"sku": f"S-{number}", "count": number} for number in range(200)]
    long_record = json.dumps({"id": "b-1", "rows": rows}, indent=2)
    view = ModelView(may_write_files=True)

    text = view.read("/c.json", long_record)

    assert text == f'{{"sha256":"{HASH}"}}\n{long_record}'


def test_if_no_files_may_be_written_a_text_is_shown_without_its_hash() -> None:
    view = ModelView(may_write_files=False)

    text = view.read("/loans.csv", "id,book\n7,emma\n")

    assert text == "id,book\n7,emma\n"


# A short record, that is, a JSON object in a file, is shown to a model in one line, and each time.
#
# `ModelView().read(path, text)` returns how the text of a file is shown to the model next.

SHORT_RECORD = {"id": "b-1", "note": 'a "key": and more'}


def test_a_short_record_is_shown_in_one_line() -> None:
    """The line breaks and the indentation of the file are left out, since they say nothing."""
    text = ModelView().read("/b.json", json.dumps(SHORT_RECORD, indent=2))

    assert "\n" not in text
    assert json.loads(text) == SHORT_RECORD


def test_a_short_record_is_shown_each_time() -> None:
    """A reference to it would be no shorter."""
    view = ModelView()

    first = view.read("/b.json", json.dumps(SHORT_RECORD, indent=2))
    second = view.read("/b.json", json.dumps(SHORT_RECORD, indent=2))

    assert second == first


# A text that a model has been shown before is referred to, and not shown again.
#
# A model pays for each character that it is shown, and pays again in every later request.
# `ModelView().read(path, text)` returns how the text of a file is shown to the model next: the text, or
# "(unchanged: it stands above as the result of read /docs/rules.md)".

RULES = "# Rules\n\n" + "Lend a book to whoever asks for it.\n" * 10


def test_a_text_that_was_shown_is_referred_to() -> None:
    view = ModelView()

    first = view.read("/docs/rules.md", RULES)
    second = view.read("/docs/rules.md", RULES)

    assert first == RULES
    assert second == "(unchanged: it stands above as the result of read /docs/rules.md)"


def test_a_text_that_has_changed_is_shown_again() -> None:
    view = ModelView()
    view.read("/docs/rules.md", RULES)

    changed = view.read("/docs/rules.md", f"{RULES}Today only.\n")

    assert changed.endswith("Today only.\n")


def test_a_text_shown_whole_in_the_initial_prompt_is_not_shown_again() -> None:
    """The initial prompt, the first messages to the model, may show files, too."""
    view = ModelView(files_in_prompt={"/docs/rules.md": RULES})

    text = view.read("/docs/rules.md", RULES)

    assert "stands above as the result of read /docs/rules.md" in text


def test_a_text_that_was_cut_in_the_initial_prompt_is_shown_whole() -> None:
    """The prompt lacks the last 9 characters of the file, so a reference to it is not
    enough."""
    cut_text = f"{RULES}\n(9 characters are not shown)"
    view = ModelView(files_in_prompt={"/docs/long.md": cut_text})

    text = view.read("/docs/long.md", f"{RULES}123456789")

    assert text == f"{RULES}123456789"


def test_a_function_result_that_was_shown_is_referred_to() -> None:
    """The function `books_by` is called twice with the same argument, and returns the same."""
    view = ModelView()
    result = {"value": ["x" * 300], "refs": [], "notes": []}

    first = view.call(BOOKS_BY, {"author": "Austen"}, result)
    second = view.call(BOOKS_BY, {"author": "Austen"}, result)

    assert json.loads(first) == result
    assert second == "(unchanged: it stands above as the result of books_by)"


# The first message of a trial says which notices of a workspace have begun.
#
# A notice is a document with a date in its name: `2031-05-01-calls.md`. A trial takes place at a
# time in the world of its workspace, 2031-05-10 here. A notice of a later date does not apply yet.
# The message is that of the second solver, the *exoskeleton*, which lets its model call tools.


SCHEMA = replace(
    SHOP_SCHEMA,
    # Names of documents begin with dates, in the time zone UTC (Z).
    document_dates=DocumentDates(zone="Z", in_names=True),
)

TRIAL = TrialContext(
    trial_id="t",
    task_id="dated",
    instruction="Check out the cart.",
    now=datetime(2031, 5, 10, 12, tzinfo=UTC),
)


def message_with_notice(path: str) -> str:
    """Return the first message of the trial, in a workspace with a notice at this path."""
    files = {
        "/RULES.md": "Carts: /docs/carts.md. A notice in `/docs/news` replaces it.\n",
        "/docs/carts.md": "A cart is checked out once.",
        path: "`/docs/carts.md` is wrong: a cart is checked out twice.",
    }
    events: list[TrialEvent] = []
    shop = Shop(SCHEMA, files=files)
    recorder = new_recorder("t", shop, emit=events.append, tape=Tape())
    recorder.step_log.begin(0)  # calls before the first step have the number 0
    opened = build_opening(TRIAL, recorder, LoopSettings(), SolverBindings())
    return "".join(opened.first_message)


def test_a_notice_of_an_earlier_date_has_begun() -> None:
    message = message_with_notice("/docs/news/2031-05-01-carts.md")

    assert "read /docs/news/2031-05-01-carts.md (begun)\n" in message


def test_a_notice_of_a_later_date_has_not_begun() -> None:
    message = message_with_notice("/docs/news/2031-05-20-carts.md")

    assert "/docs/news/2031-05-20-carts.md (not begun)" in message


def test_notices_stand_before_the_request() -> None:
    message = message_with_notice("/docs/news/2031-05-01-carts.md")

    assert message.index("(begun)") < message.index("Check out the cart.")
