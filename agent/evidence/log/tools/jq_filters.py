"""Recognises filters of the tool jq that only select parts of a file.

`jq .rows[0].name /a.json` prints a part of the file, so an answer may cite the file for it. But
`jq '"fee: 7"' /a.json` prints a text that the script made up. A filter is trusted only if
it consists of these:

    filter       .rows[] | select(.fee > 3) | .name, .id     stages, with `|` or `,` between
    stage        .rows[]   select(.fee > 3)   keys   length  a path, a condition or a word
    path         .rows[0].name   .["name"]   .name?          names and indexes
    condition    .fee > 3 and .name == "late"                calls no function
"""

from __future__ import annotations

from typing import Final

import re2

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_POSITION: Final = r"-?[0-9]*"
"""`0`, `-1`, or nothing"""
_QUOTED_NAME: Final = r'"[^"\\]*"'
"""`"name"`, without a quotation mark or an escape in it"""
_INDEX: Final = rf"\[(?:{_POSITION}(?::{_POSITION})?|{_QUOTED_NAME})\]"
"""An element, some elements or a field: `[0]`, `[1:3]`, `[]`, `["name"]`."""
_PATH: Final = rf"\.(?:{_NAME})?(?:\.?{_INDEX}|\.{_NAME})*\??"
"""A dot with names and indexes behind it: `.`, `.rows[0].name`, `.rows.[0]?`."""

_QUOTED_TEXT: Final = r'"(?:[^()"\\]|\\[^()])*"'
"""A text in a condition: `"late"`, `"a \\"b\\""`. It has no parentheses: jq runs the code in those
of `"\\(env)"`."""
_SIGN: Final = r'[^()"#\\]'
"""Any other sign in a condition, except parentheses, which a call of a function has, and `#`,
which begins a comment."""
_SELECT: Final = rf"select\((?:{_SIGN}|{_QUOTED_TEXT})*\)"

_STAGE: Final = rf"(?:{_PATH}|keys|length|{_SELECT})"
_FILTER: Final = re2.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")
_PRINTING_FUNCTION: Final = re2.compile(
    r'(?:^|[^\pL\pN_."])(?:debug|stderr)(?:$|[^\pL\pN_])'
)
"""A function that prints more than is selected. It needs no parentheses, so it could stand in a
condition: `select(debug)`. The field `.debug` is not meant."""
MOST_FILTER_CHARS: Final = 1_000
"""The longest filter that is examined, in characters."""


def only_selects(filter_text: str) -> bool:
    """Return True if a filter only selects parts of its input: `.rows[0].name`.

    | filter | only selects, by |
    |---|---|
    | `"fee: 7"`, `.fee + 7`, `env` | no: it has no `_STAGE` at all, or something behind one |
    | `select(test("a"))`, `select("\\(env)")` | no: parentheses in `_SELECT` |
    | `select(debug)` | no: `_PRINTING_FUNCTION` |

    In doubt, return False: the output of the tool then proves nothing.
    """
    if not filter_text.isascii() or len(filter_text) > MOST_FILTER_CHARS:
        return False
    is_selection = _FILTER.fullmatch(filter_text) is not None
    return is_selection and _PRINTING_FUNCTION.search(filter_text) is None
