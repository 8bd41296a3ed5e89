"""Shows the text of a file to the model, shortened if it is long.

The model sees the first lines, and how it gets the others:

    ...
    [... 9000 characters from line 81 on: read by start_line ...]
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
    shown = _shown_part(read, is_exact=is_exact)
    if shown.hidden_chars > 0:
        rest = f"{shown.hidden_chars} characters"
    elif read.can_read_on:
        rest = "the rest"
    else:
        return shown.text
    line = read.first_line + read.text.count("\n", 0, shown.source_chars)
    return (
        f"{shown.text}\n[... {rest} from line {line} on: read by {how_to_read_on} ...]"
    )


def _shown_part(read: FileRead, *, is_exact: bool) -> CutText:
    """Return what is shown of a file: all of it, its first lines, or its start and its end.

    A call that reads on begins at a line. So a long text is shown up to the end of a line. If
    no call can read on, because the operation cannot begin at a line, or the first line is
    too long already, only the middle of the text is left out.
    """
    text = read.text
    start = _start_of(read, is_exact=is_exact)
    if start.hidden_chars == 0:
        return start
    whole_lines = start.without_cut_line(text)
    has_whole_line = whole_lines.source_chars > 0
    if read.can_read_parts and has_whole_line:
        return whole_lines
    # No call gives the lines that are left out, so none of them is counted as hidden:
    # the caller then writes no notice of how to read on.
    return CutText(cut(text), source_chars=len(text))


def _start_of(read: FileRead, *, is_exact: bool) -> CutText:
    """Return as much of a file as may be shown, up to the middle of a line."""
    # The model needs every character, blanks too, to write the file or if it asked for lines.
    if is_exact or read.asks_for_part:
        start = read.text[: bounds.SHOWN_RESULT_CHARS]
        hidden_chars = len(read.text) - len(start)
        return CutText(start, len(start), hidden_chars)

    # A whole file is shown only so far if the model can ask for the lines that it needs.
    if read.can_read_parts:
        return compact_start(read.text, bounds.SHOWN_READ_CHARS)
    return compact_start(read.text, bounds.SHOWN_RESULT_CHARS)
