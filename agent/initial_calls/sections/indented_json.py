"""Shortens JSON that is indented, so that more of it fits into a message.

    {
      "a": 4,           ->  {"a":4,"b":12}
      "b": 12
    }

It is shortened line by line, because only its beginning may be shown.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.sections.cut_text import CutText


def is_indented_json(text: str) -> bool:
    """Return True for JSON with a line break after its first brackets: `{\\n  "a": 1\\n}`.

    Other texts that begin with a bracket must keep their lines: `[section]\\nkey = 1`.
    """
    if not text.startswith(("{", "[")):
        return False
    first_line, line_break, _ = text.partition("\n")
    has_only_brackets = not first_line.strip("{[ \t\r")
    return bool(line_break) and has_only_brackets


def compact_json(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of indented JSON as fit, without its blanks and line breaks."""
    shown = ""
    source_chars = 0
    # `splitlines` would also split at a U+2028, which a string in JSON may have.
    for line in text.split("\n"):
        compact_line = _compact_line(line)
        if len(shown) + len(compact_line) > max_chars:
            return CutText(shown, source_chars, hidden_chars=len(text) - source_chars)
        shown += compact_line
        source_chars += len(line) + 1  # with its newline
    return CutText(shown, len(text))  # All lines fit.


def _compact_line(line: str) -> str:
    r"""Return a line of JSON without the blanks around it and after its key.

    | line | result |
    |---|---|
    | `  "a": "b, c",` | `"a":"b, c",` |
    | `  ": b",`, a string without a key | `": b",` |
    | `  "say \"a\": b"`, where the backslashes make it uncertain what is a key | without the blanks before |
    """
    compact_line = line.strip()
    start, separator, value = compact_line.partition('": ')
    # The quotation mark in the separator ends a key if it is the second one, or the fourth.
    is_closing_mark = start.count('"') % 2 == 1
    if separator and is_closing_mark and "\\" not in start:
        return f'{start}":{value}'
    return compact_line
