"""Reads a string in the text of an object that cannot be parsed, if its end is certain.

A model may forget to escape a quotation mark inside of a string. So the string must be followed by
the next field, or by the end of the object:

| text | string |
|---|---|
| `"print(1)", "done": 0}` | `print(1)` |
| `"print(1)"}` | `print(1)` |
| `"print("a")"}` | None: neither a field nor the object's end follows `"print("` |
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.reply.code.program_text import unescaped

QUOTED_STRING: Final = re2.compile(r'''(?s)\s*"((?:[^"\\]|\\.)*)"''')
"""Matches a string: `"print(1)"`. Group 1 is its content, `print(1)`."""
NEXT_FIELD: Final = re2.compile(r"""\s*,\s*(?:"\w+"|'\w+'|\w+)\s*:""")
"""Matches the key of the next field: `, "done":`."""
OBJECT_END: Final = re2.compile(r"\s*,?\s*\}\s*\z")
"""Matches the closing brace at the end of the object."""


def certain_string(object_text: str, start: int) -> str | None:
    """Return the decoded string at `start`; None without one, or if its end is uncertain."""
    string = QUOTED_STRING.match(object_text, start)
    if string is None:
        return None
    end = string.end()
    next_field = NEXT_FIELD.match(object_text, end)
    is_true_end = next_field or OBJECT_END.match(object_text, end)
    return unescaped(string[1]) if is_true_end else None
