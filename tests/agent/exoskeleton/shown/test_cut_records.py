"""A long record is cut when a model reads it, and the model can read on where it was cut.

A record is a JSON object in a file. Its first part is shown with less white space. A note behind this
part names the line of the file at which the rest begins: `[... from line 57 on, by start_line]`.
"""

import json

from controlplane.sandbox.interface import bounds
from tests.agent.exoskeleton.shown.cut_notes import line_to_read_on
from tests.agent.exoskeleton.shown.model_view import ModelView

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
