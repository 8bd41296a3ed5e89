"""Cuts texts to the room that the first message has for them.

The *room* is a number of characters. JSON is shown without indentation, so that more of
it fits: `{\\n  "a": 1\\n}` is shown as `{"a":1}`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CutText:
    """The start of a text, as it is shown."""

    text: str
    source_chars: int
    """How many characters of the whole text it stands for:
    12 for `{"a":1}`, which is short for `{\\n "a": 1\\n}`."""


def cut_to_line(text: str, max_chars: int, *, compacts_json: bool) -> CutText:
    """Return as many whole lines of a text as fit. A first line that is too long is cut.

    With `compacts_json`, JSON is shown without indentation, so that more of it fits.
    """
    if compacts_json and _is_json(text):
        compact = compact_start(text, max_chars)
        if compact.text:
            return compact
    if len(text) <= max_chars:
        return CutText(text, len(text))
    # The newline after the last line is not shown, so it may lie just beyond the room.
    line_end = text.rfind("\n", 0, max_chars + 1)
    source_chars = line_end if line_end > 0 else max_chars
    return CutText(text[:source_chars], source_chars)


def compact_start(text: str, max_chars: int) -> CutText:
    """Return the start of a text in at most `max_chars`.

    JSON is shown without indentation, and up to its last line that fits:
    `{\\n  "a": 1\\n}` -> `{"a":1}`. Other texts are only cut.
    """
    if not _is_json(text):
        shown = text[:max_chars]
        return CutText(shown, len(shown))
    shown = ""
    source_chars = 0
    for line in text.splitlines(keepends=True):
        compact_line = _compact_json_line(line)
        if len(shown) + len(compact_line) > max_chars:
            break
        shown += compact_line
        source_chars += len(line)
    return CutText(shown, source_chars)


def _compact_json_line(line: str) -> str:
    """Return a line of JSON without the blanks around it and after its key.

    `  "a": 1,` -> `"a":1,`

    The blank stays if it may be inside a string. That is possible in two cases: the line
    has no indentation, so it may hold all of the JSON; or the text before the blank has
    a backslash, so its quotation mark may not end the key.
    """
    compact_line = line.strip()
    key, separator, value = compact_line.partition('": ')
    is_indented = line[:1].isspace()
    has_escape = "\\" in key
    if not separator or not is_indented or has_escape:
        return compact_line
    return f'{key}":{value}'


def _is_json(text: str) -> bool:
    return text.startswith(("{", "["))


def shown_length(text: str) -> int:
    """Return the number of characters that a text takes if it is shown in full."""
    return len(compact_start(text, len(text)).text)
