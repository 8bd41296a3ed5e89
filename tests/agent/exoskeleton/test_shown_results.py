"""What a solver shows its model of the results of calls: each long text once, and cut if too long.

A model pays for each character that it is shown, in every later request again. So a file that is
read again and has not changed is shown as `(unchanged: it stands above as the result of read
/docs/rules.md)`, and a long one is cut with a note from which line to read on.
"""

import json
from collections.abc import Sequence

import pytest

from controlplane.agent.events import ConversationOpened, SaidMessage
from controlplane.agent.evidence import Recorder
from controlplane.agent.exoskeleton import SolverBindings
from controlplane.agent.exoskeleton.opening import build_opening
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.shown.shown_texts import shown_result
from controlplane.agent.loop import LoopSettings
from controlplane.agent.model import ToolCall
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    ToolSchema,
    bounds,
)
from tests.agent.loop.initial_prompt.dated_shop import DATED_NOW, DatedShop
from tests.support.library import BOOKS_BY

TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS)
READ_OPERATION = TOOL_SCHEMA.operation("read")

READ_ALL = Operation(
    name="read_all",
    parameters=BOOKS_BY.parameters,
    fields=BOOKS_BY.fields,
    summary="all of a file",
    finds=BOOKS_BY.finds,
)
"""A function that some environments have, which reads a file as a whole.

Only its name matters here, so the rest is that of the function `books_by` of a library.
"""

RULES = "# Rules\n\n" + "Lend a book to whoever asks for it.\n" * 10
"""A document that is long enough not to be shown twice."""

LONG_RECORD = json.dumps(
    {
        "id": "b-1",
        "rows": [{"sku": f"S-{number}", "count": number} for number in range(200)],
    },
    indent=2,
)
"""A record that is too long to be shown whole."""

HASH = "5" * 64
"""The hash of every file, which a model needs to write the file."""

CHARS_FOR_NOTE = 200
"""The note behind a text that is cut has fewer characters than this."""


@pytest.fixture
def results() -> ShownResults:
    """What a model has been shown in a trial that may not write files: nothing yet."""
    return ShownResults(may_write_files=False)


def shown_read(
    results: ShownResults,
    path: str,
    content: str,
    *,
    truncated: bool = False,
    start_line: int = 0,
) -> str:
    """Return what `results` shows the model of a read that returned this content.

    `truncated` is True if the environment has cut the content itself.
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
    return results.shown(READ_OPERATION, arguments, result)


def opening_with(exchange: Sequence[SaidMessage] = ()) -> ConversationOpened:
    """Return the event by which a trial's initial prompt is known, with these messages in it."""
    return ConversationOpened(
        trial_id="t",
        at_ms=0,
        system="",
        first_message=(),
        exchange=tuple(exchange),
        calls=(),
        rules="",
    )


def results_after_prompt_with(path: str, content: str) -> ShownResults:
    """Return what a model has been shown whose initial prompt shows a file with this content.

    The prompt has two messages for it: a call `read`, as if the model had made it, and the result.
    """
    call = ToolCall(id="c1", name="read", arguments=json.dumps({"path": path}))
    messages = [
        SaidMessage(role="assistant", content="", tool_calls=(call,)),
        SaidMessage(role="tool", content=content, tool_call_id=call.id),
    ]
    return ShownResults.after_opening(
        opening_with(messages), TOOL_SCHEMA, may_write_files=False
    )


# A text that was shown before. A second time, the model gets a short reference to it instead.


def test_a_text_that_was_shown_is_referred_to_until_it_changes(
    results: ShownResults,
) -> None:
    """A file is read three times, and has another line the third time."""
    first = shown_read(results, "/docs/rules.md", RULES)
    second = shown_read(results, "/docs/rules.md", RULES)
    changed = shown_read(results, "/docs/rules.md", RULES + "Today only.\n")

    assert first == RULES
    assert second == "(unchanged: it stands above as the result of read /docs/rules.md)"
    assert changed.endswith("Today only.\n")


def test_a_text_shown_whole_in_the_initial_prompt_is_not_shown_again() -> None:
    """The initial prompt, the first messages to the model, may show files, too."""
    results = results_after_prompt_with("/docs/rules.md", RULES)

    text = shown_read(results, "/docs/rules.md", RULES)

    assert "stands above as the result of read /docs/rules.md" in text


def test_a_text_that_was_cut_in_the_initial_prompt_is_shown_whole() -> None:
    """The initial prompt lacks the last 9 characters of the file, so a reference to it is not enough."""
    whole_text = f"{RULES}123456789"
    cut_text = f"{RULES}\n(9 characters are not shown)"
    results = results_after_prompt_with("/docs/long.md", cut_text)

    text = shown_read(results, "/docs/long.md", whole_text)

    assert text == whole_text


def test_a_function_result_that_was_shown_is_referred_to(results: ShownResults) -> None:
    """The function `books_by` is called twice with the same argument, and returns the same."""
    function_result = {"value": ["x" * 300], "refs": [], "notes": []}

    first = results.shown(BOOKS_BY, {"author": "Austen"}, function_result)
    second = results.shown(BOOKS_BY, {"author": "Austen"}, function_result)

    assert json.loads(first) == function_result
    assert second == "(unchanged: it stands above as the result of books_by)"


# Records and long texts.


def test_a_short_record_is_shown_in_one_line_each_time(results: ShownResults) -> None:
    """The line breaks and the indentation of the file are left out, since they say nothing. When the
    record is read again, it is shown again: a reference to it would be no shorter."""
    record = {"id": "b-1", "note": 'a "key": and more'}
    file_text = json.dumps(record, indent=2)

    first = shown_read(results, "/b.json", file_text)
    second = shown_read(results, "/b.json", file_text)

    assert "\n" not in first
    assert json.loads(first) == record
    assert second == first


def line_to_read_on(note: str) -> int:
    """Return the line that a note behind a cut text names.

    `[... from line 57 on, by start_line]` -> 57
    """
    return int(note.rpartition("from line ")[2].split()[0])


def lines_from(text: str, first_line: int) -> str:
    """Return the lines of a text from this one on, counted from 1, as the call `read` does."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[first_line - 1 :])


def test_a_long_record_is_cut_with_the_line_to_read_on(results: ShownResults) -> None:
    """What is shown and what follows from the named line on are together the whole record."""
    text = shown_read(results, "/c.json", LONG_RECORD)

    assert len(text) < bounds.SHOWN_READ_CHARS + CHARS_FOR_NOTE
    beginning, _, note = text.partition("\n[...")
    rest = lines_from(LONG_RECORD, line_to_read_on(note))
    assert json.loads(beginning + rest) == json.loads(LONG_RECORD)


def test_the_rest_of_a_long_record_is_shown_as_it_stands_in_the_file(
    results: ShownResults,
) -> None:
    """The model reads on from the line that the note names. The rest alone is not valid JSON."""
    text = shown_read(results, "/c.json", LONG_RECORD)
    next_line = line_to_read_on(text)
    rest = lines_from(LONG_RECORD, next_line)

    shown_rest = shown_read(results, "/c.json", rest, start_line=next_line)

    assert rest in shown_rest


def test_a_long_function_result_loses_its_middle() -> None:
    """The beginning and the end are shown, together `SHOWN_RESULT_CHARS` characters, and a note between
    them says how many characters are left out."""
    result = {"value": ["x" * 50_000], "refs": [], "notes": []}

    text = shown_result(BOOKS_BY, result)

    assert len(text) > bounds.SHOWN_RESULT_CHARS
    assert len(text) < bounds.SHOWN_RESULT_CHARS + CHARS_FOR_NOTE
    assert "characters are left out" in text


# A long text is cut, with a note behind it that says how to read on: `[... from line 57 on, by NAME]`.
# NAME is the parameter `start_line` of `read`, or a function that reads whole files, if there is one.


def results_with(operations: Sequence[Operation]) -> ShownResults:
    """Return what a model has been shown that may call these operations: nothing yet."""
    tool_schema = ToolSchema(operations=tuple(operations))
    return ShownResults.after_opening(
        opening_with(), tool_schema, may_write_files=False
    )


def note_behind(text: str) -> str:
    """Return the note behind a text that was cut."""
    return text.rpartition("[... ")[2]


WAYS_TO_READ_ON = pytest.mark.parametrize(
    ("operations", "way_to_read_on"),
    [
        pytest.param(FILE_OPERATIONS, "start_line", id="by lines"),
        pytest.param((*FILE_OPERATIONS, READ_ALL), "read_all", id="by a function"),
    ],
)


@WAYS_TO_READ_ON
def test_a_long_text_says_how_to_read_on(
    operations: Sequence[Operation], way_to_read_on: str
) -> None:
    """At most `SHOWN_READ_CHARS` characters are shown, in whole lines. The note names the next line."""
    results = results_with(operations)
    line = "a line of twenty ch.\n"
    whole_lines_shown = bounds.SHOWN_READ_CHARS // len(line)

    text = shown_read(results, "/docs/a.md", line * 2_000)

    note = note_behind(text)
    assert line_to_read_on(note) == whole_lines_shown + 1
    assert way_to_read_on in note


@WAYS_TO_READ_ON
def test_a_text_that_the_environment_has_cut_says_how_to_read_on(
    operations: Sequence[Operation], way_to_read_on: str
) -> None:
    """The environment has returned only the first two lines of a longer file, and says that its
    result is truncated. The model should go on with the third line."""
    results = results_with(operations)
    two_lines = "a,b\n1,2\n"

    text = shown_read(results, "/exports/a.csv", two_lines, truncated=True)

    note = note_behind(text)
    assert line_to_read_on(note) == 3
    assert way_to_read_on in note


# Trials that may write files need the exact text, and the hash that a write has to name.


def test_if_files_may_be_written_a_text_is_shown_as_it_is_with_its_hash() -> None:
    """The hash of the file stands in a line before the text: `{"sha256":"5555..."}`. A call that
    writes the file must name it. The text is not cut, although it is long."""
    results = ShownResults(may_write_files=True)

    text = shown_read(results, "/c.json", LONG_RECORD)

    line_with_hash = json.dumps({"sha256": HASH}, separators=(",", ":"))
    assert text == f"{line_with_hash}\n{LONG_RECORD}"


def test_if_no_files_may_be_written_a_text_is_shown_without_its_hash(
    results: ShownResults,
) -> None:
    assert "sha256" not in shown_read(results, "/c.json", LONG_RECORD)


# Dates of notices in the initial prompt.


def test_the_initial_prompt_says_which_notices_have_begun() -> None:
    """The names of notices start with a date; the trial takes place between the two dates."""

    def forget(event: object) -> None:
        """Take an event that this test does not need."""

    recorder = Recorder("t", DatedShop(), forget)
    recorder.step_log.begin(0)

    opened = build_opening(
        "Check out cart-1.", recorder, LoopSettings(), SolverBindings(), DATED_NOW
    )

    message = "".join(opened.first_message)
    assert "read /docs/news/2031-05-01-calls.md (begun)\n" in message
    assert "/docs/news/2031-05-20-carts.md (not begun)" in message
    assert message.index("(begun)") < message.index("Check out cart-1.")
