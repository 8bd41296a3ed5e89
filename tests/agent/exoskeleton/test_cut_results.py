"""Long results of calls, of which a solver shows its model only a part.

A file is cut after a whole line, with a note behind it that says how to read on: `[... from line 57
on, by start_line]`. A long result of a function loses its middle. At most `SHOWN_READ_CHARS`
characters of a file are shown, and `SHOWN_RESULT_CHARS` of a function's result.
"""

import json
from collections.abc import Sequence

import pytest

from controlplane.agent.exoskeleton.shown.shown_texts import shown_result
from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, bounds
from tests.agent.exoskeleton.model_view import ModelView
from tests.support.books.book_declarations import BOOKS_BY


def line_to_read_on(note: str) -> int:
    """Return the line that a note names: `[... from line 57 on, by start_line]` -> 57."""
    text_behind = note.rpartition("from line ")[2]
    return int(text_behind.split()[0])


READ_ALL = Operation(
    name="read_all",
    parameters=BOOKS_BY.parameters,
    fields=BOOKS_BY.fields,
    summary="all of a file",
    finds=BOOKS_BY.finds,
)
"""Such a function. Only its name matters here, so the rest is that of another one."""

for_each_way_to_read_on = pytest.mark.parametrize(
    ("operations", "way_to_read_on"),
    [
        pytest.param(FILE_OPERATIONS, "start_line", id="by lines"),
        pytest.param((*FILE_OPERATIONS, READ_ALL), "read_all", id="by a function"),
    ],
)


class TestCutFiles:
    """A file that is not shown whole says how to read on from the first line left out.

    The model reads on by the parameter `start_line` of `read`, or by a function of the environment
    that reads whole files (`READ_ALL`), if there is one.
    """

    @for_each_way_to_read_on
    def test_a_long_text_says_how_to_read_on(
        self, operations: Sequence[Operation], way_to_read_on: str
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

    @for_each_way_to_read_on
    def test_a_text_that_the_environment_has_cut_says_how_to_read_on(
        self, operations: Sequence[Operation], way_to_read_on: str
    ) -> None:
        """The environment has returned only the first two lines of a longer file, and says that its
        result is truncated. The model should go on with the third line."""
        view = ModelView(operations=operations)

        text = view.read("/exports/a.csv", "a,b\n1,2\n", truncated=True)

        _beginning, _, note = text.rpartition("[... ")
        assert line_to_read_on(note) == 3
        assert way_to_read_on in note


CHARS_FOR_NOTE = 200
"""The note on what is left out has fewer characters than this."""


ROWS = [{"sku": f"S-{number}", "count": number} for number in range(200)]
LONG_RECORD = json.dumps({"id": "b-1", "rows": ROWS}, indent=2)


def lines_from(text: str, first_line: int) -> str:
    """Return the lines of a text from this one on, counted from 1, as the call `read` does."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[first_line - 1 :])


class TestCutRecords:
    """Of a long record, a JSON object, the shown beginning and the rest are the whole.

    `LONG_RECORD` has 200 rows, each in some lines of its own. `line_to_read_on(note)` is the line
    that the note behind the beginning names.
    """

    def test_a_long_record_is_cut(self) -> None:
        text = ModelView().read("/c.json", LONG_RECORD)

        assert len(text) < bounds.SHOWN_READ_CHARS + CHARS_FOR_NOTE

    def test_beginning_and_named_rest_of_a_long_record_are_the_whole_record(
        self,
    ) -> None:
        text = ModelView().read("/c.json", LONG_RECORD)

        beginning, _, note = text.partition("\n[...")
        rest = lines_from(LONG_RECORD, line_to_read_on(note))
        assert json.loads(beginning + rest) == json.loads(LONG_RECORD)

    def test_the_rest_of_a_long_record_is_shown_as_it_stands_in_the_file(self) -> None:
        """The model reads on from the line that the note names. The rest alone is not valid
        JSON."""
        view = ModelView()
        next_line = line_to_read_on(view.read("/c.json", LONG_RECORD))
        rest = lines_from(LONG_RECORD, next_line)

        shown_rest = view.read("/c.json", rest, start_line=next_line)

        assert rest in shown_rest


class TestCutFunctionResults:
    """A long result of a function is shown without its middle."""

    def test_a_long_function_result_loses_its_middle(self) -> None:
        """The beginning and the end are shown, and a note between them says how many characters are
        left out."""
        result = {"value": ["x" * 50_000], "refs": [], "notes": []}

        text = shown_result(BOOKS_BY, result)

        assert "characters are left out" in text
        assert len(text) > bounds.SHOWN_RESULT_CHARS
        assert len(text) < bounds.SHOWN_RESULT_CHARS + CHARS_FOR_NOTE
