"""Shows the text of a file to the model, and cuts it if it is long.

| the read file | the model sees |
|---|---|
| short | the whole text |
| long, and the operation can read some of its lines | the first lines, and a notice |
| any other long file | its start and its end |

The notice says how to read on: `[... 9000 characters from line 81 on: read by start_line ...]`
"""

from __future__ import annotations

from controlplane.agent.exoskeleton.shown.file_read import FileRead
from controlplane.agent.exoskeleton.shown.shown_texts import cut
from controlplane.agent.initial_calls.cut_text import CutText
from controlplane.agent.initial_calls.cut_texts import compact_start
from controlplane.sandbox.interface import bounds


def shown_file(read: FileRead, *, is_exact: bool, way_to_read_on: str) -> str:
    """Return the text of a file, or a part of it, and a notice about the rest.

    With `is_exact`, JSON keeps its indentation. Else it is shown without, to save room.
    `way_to_read_on` is for the notice: `start_line`, the parameter for the first line.
    """
    start = _start_of(read, is_exact=is_exact)
    if start.hidden_chars == 0:
        return _with_notice_of_environment(start.text, read, way_to_read_on)

    if read.takes_lines:
        # A call that reads on begins with a whole line. So the shown text ends with one.
        lines = start.without_cut_line(read.text)
        if lines.source_chars > 0:  # At least one line fits.
            next_line = read.first_line + read.text.count("\n", 0, lines.source_chars)
            hidden = f"{lines.hidden_chars} characters"
            return f"{lines.text}\n{_notice(hidden, next_line, way_to_read_on)}"
    return _with_notice_of_environment(cut(read.text), read, way_to_read_on)


def _start_of(read: FileRead, *, is_exact: bool) -> CutText:
    """Return as much of a file as may be shown, up to the middle of a line."""
    # The model needs every character, blanks too, to write the file or if it asked for lines.
    if is_exact or read.asks_for_lines:
        start = read.text[: bounds.SHOWN_RESULT_CHARS]
        hidden_chars = len(read.text) - len(start)
        return CutText(start, len(start), hidden_chars)

    max_chars = bounds.SHOWN_RESULT_CHARS
    if read.takes_lines:  # The model can ask for the lines that it needs.
        max_chars = bounds.SHOWN_READ_CHARS
    return compact_start(read.text, max_chars)


def _with_notice_of_environment(
    shown_text: str, read: FileRead, way_to_read_on: str
) -> str:
    """Return a text, with a notice if the environment itself has returned only a part."""
    if not (read.was_cut_by_environment and read.takes_lines):
        return shown_text
    next_line = read.first_line + read.text.count("\n")
    return f"{shown_text}\n{_notice('the rest', next_line, way_to_read_on)}"


def _notice(hidden_part: str, next_line: int, way_to_read_on: str) -> str:
    return f"[... {hidden_part} from line {next_line} on: read by {way_to_read_on} ...]"
