"""Shortens lines of JSON that is indented: `  "a": 1,` -> `"a":1,`.

The first message of a trial shows JSON without its blanks, so that more of it fits. It is
shortened line by line, because only its beginning may be shown.
"""

from __future__ import annotations


def compact_json_line(line: str) -> str:
    """Return a line of JSON without the blanks around it and after its key.

    `  "a": "b, c",` -> `"a":"b, c",`

    A line without a key keeps its inner blanks, because they may be inside a string.
    """
    compact_line = line.strip()
    is_indented = line[:1].isspace()  # Other lines have no key: `{`
    start, separator, value = compact_line.partition('": ')
    # The text before the separator is a key with one quotation mark: `"a`. In an item of a list,
    # the separator may be inside of a string:
    #     "say \"a\": b"    has a backslash before it
    #     ": b"             begins with the only mark before it, so the start is empty
    is_key = start.count('"') % 2 == 1 and "\\" not in start
    if is_indented and separator and is_key:
        return f'{start}":{value}'
    return compact_line


def is_indented_json(text: str) -> bool:
    """Return True for JSON with a line break after its first brackets: `{\\n  "a": 1\\n}`.

    Other texts that begin with a bracket must keep their lines: `[section]\\nkey = 1`.
    """
    if not text.startswith(("{", "[")):
        return False
    first_line, line_break, _ = text.partition("\n")
    has_only_brackets = not first_line.strip("{[ \t\r")
    return bool(line_break) and has_only_brackets
