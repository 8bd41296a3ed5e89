"""Shows the text of a file to the model, shortened if it is long."""

from __future__ import annotations

from controlplane.agent.exoskeleton.shown.file_read import FileRead
from controlplane.agent.exoskeleton.shown.shown_texts import cut
from controlplane.agent.initial_calls.cut_texts import CutText, compact_start
from controlplane.sandbox.interface import bounds


def shown_file(read: FileRead, *, is_exact: bool, how_to_read_on: str) -> str:
    """Return the text of a file. If it is long, cut it, and add how to read the rest.

    With `is_exact`, JSON keeps its indentation. Else it is shown without, to save room.
    """
    text = read.text
    start = _in_whole_lines(read, _start_of(read, is_exact=is_exact))
    hidden = len(text) - start.source_chars  # in characters of the file
    # The call may have read less than the whole file, even if its text is shown in full.
    is_cut_by_call = read.can_read_parts and read.result.get("truncated") is True
    if hidden > 0:
        rest = f"{hidden} characters"
    elif is_cut_by_call:
        rest = "the rest"
    else:
        return start.text
    line = read.first_line + text.count("\n", 0, start.source_chars)
    return (
        f"{start.text}\n[... {rest} from line {line} on: read by {how_to_read_on} ...]"
    )


def _start_of(read: FileRead, *, is_exact: bool) -> CutText:
    """Return as much of a file as may be shown. Its last line may be cut."""
    if is_exact or read.asks_for_part:
        start = read.text[: bounds.SHOWN_RESULT_CHARS]
        return CutText(start, source_chars=len(start))
    if read.can_read_parts:
        return compact_start(read.text, bounds.SHOWN_READ_CHARS)
    return compact_start(read.text, bounds.SHOWN_RESULT_CHARS)


def _in_whole_lines(read: FileRead, start: CutText) -> CutText:
    """Return the start of a file in whole lines, so that a call can read on in the next.

    If no call can read on, return the whole text without its middle.
    """
    text = read.text
    if start.source_chars >= len(text):
        return start
    line_end = text.rfind("\n", 0, start.source_chars) + 1
    has_whole_line = line_end > 0
    if not read.can_read_parts or not has_whole_line:
        return CutText(cut(text), len(text))
    chars_of_cut_line = start.source_chars - line_end
    return CutText(start.text[: len(start.text) - chars_of_cut_line], line_end)
