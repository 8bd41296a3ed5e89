"""Shows the text of a file to the model, and cuts it if it is long.

| file | the model sees |
|---|---|
| short | the whole text |
| long, and the environment can read some of its lines | the first lines, and how to read on |
| any other long file | its start and its end |

The model reads on if it needs more: `[... 9000 characters from line 81 on: read by start_line ...]`
"""

from __future__ import annotations

from controlplane.agent.exoskeleton.shown.file_read import FileRead
from controlplane.agent.exoskeleton.shown.shown_texts import cut
from controlplane.agent.initial_calls.cut_texts import CutText, compact_start
from controlplane.sandbox.interface import bounds


def shown_file(read: FileRead, *, is_exact: bool, how_to_read_on: str) -> str:
    """Return the text of a file. If it is long, cut it, and add how to read the rest.

    With `is_exact`, JSON keeps its indentation. Else it is shown without, to save room.
    `how_to_read_on` names the parameter for the first line: `start_line`.
    """
    start = _start_of(read, is_exact=is_exact)
    is_long = start.hidden_chars > 0

    # 1. The first lines of a long file. A call that reads on begins with a whole line. So the
    #    shown text ends with one, unless not even the first line fits.
    if is_long and read.can_read_parts:
        first_lines = start.without_cut_line(read.text)
        if first_lines.source_chars > 0:
            return _first_lines_with_notice(read, first_lines, how_to_read_on)

    # 2. Any other text: the whole one, or its start and its end
    shown_text = cut(read.text) if is_long else start.text
    if read.can_read_on:  # The environment itself has returned only a part of the file.
        next_line = read.first_line + read.text.count("\n")
        return f"{shown_text}\n{_notice('the rest', next_line, how_to_read_on)}"
    return shown_text


def _first_lines_with_notice(
    read: FileRead, first_lines: CutText, how_to_read_on: str
) -> str:
    """Return the first lines of a file, and how to read the others."""
    # The shown text may be shorter than the part of the file that it shows: JSON is compacted.
    shown_chars = first_lines.source_chars
    next_line = read.first_line + read.text.count("\n", 0, shown_chars)
    hidden_part = f"{first_lines.hidden_chars} characters"
    return f"{first_lines.text}\n{_notice(hidden_part, next_line, how_to_read_on)}"


def _notice(hidden_part: str, line: int, how_to_read_on: str) -> str:
    """Return the notice behind a part of a file, which says how to read the hidden part.

    [... 9000 characters from line 81 on: read by start_line ...]
    """
    return f"[... {hidden_part} from line {line} on: read by {how_to_read_on} ...]"


def _start_of(read: FileRead, *, is_exact: bool) -> CutText:
    """Return as much of a file as may be shown, up to the middle of a line."""
    # The model needs every character, blanks too, to write the file or if it asked for lines.
    if is_exact or read.asks_for_part:
        start = read.text[: bounds.SHOWN_RESULT_CHARS]
        hidden_chars = len(read.text) - len(start)
        return CutText(start, len(start), hidden_chars)

    max_chars = bounds.SHOWN_RESULT_CHARS
    if read.can_read_parts:  # The model can ask for the lines that it needs.
        max_chars = bounds.SHOWN_READ_CHARS
    return compact_start(read.text, max_chars)
