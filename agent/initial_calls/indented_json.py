"""Shortens lines of JSON that is indented: `  "a": 1,` -> `"a":1,`.

The first message of a trial shows JSON without its blanks, so that more of it fits. It is
shortened line by line, because only its beginning may be shown.
"""

from __future__ import annotations


def compact_json_line(line: str) -> str:
    """Return a line of JSON without the blanks around it and after its key.

    `  "a": "b, c",` -> `"a":"b, c",`

    A quotation mark in a string has a backslash before it: `"say \\"a\\": b"`. So the first
    `": ` follows the key, unless there is a backslash before it, or it begins a string, as in
    `": a"`. Then the line keeps its blank, because the blank may be inside a string.
    """
    compact_line = line.strip()
    key, separator, value = compact_line.partition('": ')
    is_indented = line[:1].isspace()
    has_escape = "\\" in key
    ends_string = key.count('"') % 2 == 1  # The string's first mark has no partner yet.
    if not separator or not is_indented or has_escape or not ends_string:
        return compact_line
    return f'{key}":{value}'


def is_indented_json(text: str) -> bool:
    """Return True for JSON with a line break after its first brackets: `{\\n  "a": 1\\n}`.

    Other texts that begin with a bracket must keep their lines: `[section]\\nkey = 1`.
    """
    if not text.startswith(("{", "[")):
        return False
    first_line, line_break, _ = text.partition("\n")
    has_only_brackets = not first_line.strip("{[ \t\r")
    return bool(line_break) and has_only_brackets
