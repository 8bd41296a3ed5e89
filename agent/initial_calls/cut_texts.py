"""Cuts the texts of files and results, so that they fit into the messages to the model.

JSON is shown without its line breaks and indentation, so that more of it fits:
`{\\n  "a": 1\\n}` is shown as `{"a":1}`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.initial_calls.indented_json import (
    compact_json_line,
    is_indented_json,
)


@dataclass(frozen=True, slots=True)
class CutText:
    """The start of a text, as it is shown.

    Of this JSON, there is room for two of four lines. `{"a":4,` is shown, with 7 characters. It
    stands for 12 characters of the whole text, because of the blanks and line breaks:

    | line of the whole text | its characters | is shown as |
    |---|---|---|
    | `{\\n` | 2 | `{` |
    | `  "a": 4,\\n` | 10 | `"a":4,` |
    | `  "b": 12\\n` | 10 | |
    | `}` | 1 | |
    """

    text: str
    source_chars: int
    """How many characters of the whole text it stands for: 12 in the example."""

    def without_cut_line(self, whole_text: str) -> CutText:
        """Return this start of `whole_text`, without a last line that is shown only in part.

        "one\\ntw", cut from "one\\ntwo" -> "one\\n"
        """
        line_start = whole_text.rfind("\n", 0, self.source_chars) + 1
        # For compact JSON, which is cut between lines, this is 0. Other texts are shown
        # unchanged, so the part of their last line is as long in `text` as in `whole_text`.
        chars_of_cut_line = self.source_chars - line_start
        end = len(self.text) - chars_of_cut_line
        return CutText(self.text[:end], line_start)


def cut_to_line(text: str, max_chars: int, *, compacts_json: bool) -> CutText:
    """Return as many whole lines of a text as fit. A first line that is too long is cut.

        "one\\ntwo", 5 characters -> "one"

    With `compacts_json`, JSON is shown without indentation, so that more of it fits.
    """
    if compacts_json and is_indented_json(text):
        start = _compact_json(text, max_chars)
        if start.text:  # At least one line fits.
            return start
    if len(text) <= max_chars:
        return CutText(text, len(text))
    # The newline after the last line is not shown, so it may lie just beyond the room.
    line_end = text.rfind("\n", 0, max_chars + 1)
    source_chars = line_end if line_end > 0 else max_chars
    return CutText(text[:source_chars], source_chars)


def compact_start(text: str, max_chars: int) -> CutText:
    """Return the start of a text, JSON without indentation.

    JSON is cut after a line. If its first line does not fit, the start is empty. Other texts
    are cut after `max_chars`, also within a line, unlike by `cut_to_line`.

        "one\\ntwo", 5 characters -> "one\\nt"
    """
    if is_indented_json(text):
        return _compact_json(text, max_chars)
    start = text[:max_chars]
    return CutText(start, len(start))


def _compact_json(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of JSON as fit, without line breaks and indentation."""
    shown = ""
    source_chars = 0
    # `splitlines` would also split at a U+2028, which a string in JSON may have.
    for line in text.split("\n"):
        compact_line = compact_json_line(line)
        if len(shown) + len(compact_line) > max_chars:
            break
        shown += compact_line
        source_chars += len(line) + 1  # with its newline
    return CutText(shown, min(source_chars, len(text)))  # The last line has no newline.


def shown_length(text: str) -> int:
    """Return the number of characters that a text takes if it is shown in full."""
    return len(compact_start(text, len(text)).text)
