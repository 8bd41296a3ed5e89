"""Of a long record, a JSON object in a file, the shown beginning and the rest are the whole.

A model is shown at most `SHOWN_READ_CHARS` characters of a file, and a note behind them that names the
next line, `[... from line 57 on, by start_line]`. `LONG_RECORD` has 400 rows.
"""

import json

from controlplane.sandbox.interface import bounds
from tests.agent.exoskeleton.shown.cut_notes import line_to_read_on
from tests.agent.exoskeleton.shown.model_view import ModelView

LONG_RECORD = json.dumps(
    {"id": "b-1", "rows": [{"count": number} for number in range(400)]}, indent=2
)


def lines_from(text: str, first_line: int) -> str:
    """Return the lines of a text from this one on, counted from 1, as the call `read` does."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[first_line - 1 :])


def test_a_long_record_is_cut() -> None:
    text = ModelView().read("/c.json", LONG_RECORD)

    chars_for_note = 200
    assert len(text) < bounds.SHOWN_READ_CHARS + chars_for_note


def test_beginning_and_named_rest_of_a_long_record_are_the_whole_record() -> None:
    text = ModelView().read("/c.json", LONG_RECORD)

    beginning, _, note = text.partition("\n[...")
    rest = lines_from(LONG_RECORD, line_to_read_on(note))
    assert json.loads(beginning + rest) == json.loads(LONG_RECORD)


def test_the_rest_of_a_long_record_is_shown_as_it_stands_in_the_file() -> None:
    """The model reads on from the line that the note names. The rest alone is not valid
    JSON."""
    view = ModelView()
    next_line = line_to_read_on(view.read("/c.json", LONG_RECORD))
    rest = lines_from(LONG_RECORD, next_line)

    shown_rest = view.read("/c.json", rest, start_line=next_line)

    assert rest in shown_rest
