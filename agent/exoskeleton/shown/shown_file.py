"""Shows a file to the model, and no more of it than a conversation has room for.

A file of 20,000 characters, of which 12,000 may be shown, is shown in one of two ways:

    the model can read on at a line    its first lines, and this notice:
                                       `[... 8012 characters from line 81 on: ...]`
    it cannot                          its start and its end, and a notice between them
"""

from __future__ import annotations

from controlplane.agent.exoskeleton.shown.file_read import FileRead
from controlplane.agent.exoskeleton.shown.shown_texts import cut
from controlplane.agent.initial_calls.sections.cut_text import CutText
from controlplane.agent.initial_calls.sections.cut_texts import (
    compact_lines,
    whole_lines,
)
from controlplane.sandbox.interface import bounds


def shown_file(read: FileRead, *, is_exact: bool, way_to_read_on: str) -> str:
    """Return the text of a file, or a part of it, and a notice about the rest.

    With `is_exact`, JSON keeps its indentation. Otherwise it is shown without, to save room.
    `way_to_read_on` is for the notice: `start_line`, the parameter for the first line.
    """
    # A call for the lines 40 to 60 gets them as they are.
    keeps_blanks = is_exact or read.asks_for_lines
    if read.takes_lines:
        return _first_lines(read, way_to_read_on, keeps_blanks=keeps_blanks)
    lines = _lines(read.text, bounds.SHOWN_RESULT_CHARS, keeps_blanks=keeps_blanks)
    if lines.hidden_chars:
        return cut(read.text)  # the start and the end of the file
    return lines.text


def _first_lines(read: FileRead, way_to_read_on: str, *, keeps_blanks: bool) -> str:
    """Return the first lines of a file, and from where the model can read on."""
    max_chars = bounds.SHOWN_READ_CHARS
    if keeps_blanks:  # The model works with this text, so it is shown more.
        max_chars = bounds.SHOWN_RESULT_CHARS
    lines = _lines(read.text, max_chars, keeps_blanks=keeps_blanks)
    is_cut = lines.hidden_chars > 0
    # `source_chars` is the length of the shown lines in `read.text`.
    has_whole_line = lines.source_chars > 0
    if is_cut and has_whole_line:
        next_line = read.first_line + read.text.count("\n", 0, lines.source_chars)
        hidden = f"{lines.hidden_chars} characters"
        return f"{lines.text}\n{_notice(hidden, next_line, way_to_read_on)}"

    shown_text = lines.text
    if is_cut:
        # Not even the first line fits, so its start and the end of the file are shown.
        shown_text = cut(read.text)
    if read.was_cut_by_environment:  # The text ends before the file does.
        next_line = read.first_line + read.text.count("\n")
        shown_text += f"\n{_notice('the rest', next_line, way_to_read_on)}"
    return shown_text


def _lines(text: str, max_chars: int, *, keeps_blanks: bool) -> CutText:
    """Return as many lines of a text as may be shown. A call that reads on begins with a line."""
    if keeps_blanks:
        return whole_lines(text, max_chars)
    return compact_lines(text, max_chars)


def _notice(hidden_part: str, next_line: int, way_to_read_on: str) -> str:
    return f"[... {hidden_part} from line {next_line} on: read by {way_to_read_on} ...]"
