"""Recognises filters of the tool jq that only select parts of a file.

`jq .rows[0].name /a.json` prints a part of the file, so an answer may cite the file for it. But
`jq '"fee: 7"' /a.json` prints a text that the script made up. A filter is trusted only if
it has one of the simple forms below. Each pattern is built from those before it.
"""

from __future__ import annotations

from typing import Final

import re2

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_POSITION: Final = r"-?[0-9]*"
"""`0`, `-1`, or nothing"""
_SIMPLE_TEXT: Final = r'"[^"\\]*"'
"""`"name"`, without a quotation mark or an escape in it"""
_INDEX: Final = rf"\[(?:{_POSITION}(?::{_POSITION})?|{_SIMPLE_TEXT})\]"
"""An element, some elements or a field: `[0]`, `[1:3]`, `[]`, `["name"]`."""
_SELECTED_PATH: Final = rf"\.(?:{_NAME})?(?:\.?{_INDEX}|\.{_NAME})*\??"
"""The path of a part: `.rows[0].name`, `.name?`."""
_TEXT_IN_CONDITION: Final = r'"(?:[^()"\\]|\\[^()])*"'
"""`"late"`. A text with brackets could run code: jq replaces `"\\(env)"` by a value."""
_OTHER_SIGN_IN_CONDITION: Final = r'[^()"#\\]'
"""Any other sign except brackets, with which a function would be called, and `#`, which
begins a comment."""
_SELECT: Final = rf"select\((?:{_OTHER_SIGN_IN_CONDITION}|{_TEXT_IN_CONDITION})*\)"
"""A condition that calls no function: `select(.fee > 3 and .name == "late")`."""
_STAGE: Final = rf"(?:{_SELECTED_PATH}|keys|length|{_SELECT})"
"""One step of a filter: `.rows[0]`, `keys`, `length`, `select(.fee > 3)`."""
_SELECTION: Final = re2.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")
"""A whole filter: `.rows[] | select(.fee > 3) | .name, .id`."""
_PRINTING_FUNCTION: Final = re2.compile(
    r'(?:^|[^\pL\pN_."])(?:debug|stderr)(?:$|[^\pL\pN_])'
)
"""A function that prints more than is selected: `debug`, but not the field `.debug`.
It could stand in a condition, as in `select(debug)`."""
MOST_FILTER_CHARS: Final = 1_000
"""The longest filter that is examined, in characters."""


def only_selects(filter_text: str) -> bool:
    """Return True if a filter only selects parts of its input: `.rows[0].name`.

    In doubt, return False: the output of the tool then proves nothing.
    """
    if not filter_text.isascii() or len(filter_text) > MOST_FILTER_CHARS:
        return False
    is_selection = _SELECTION.fullmatch(filter_text) is not None
    return is_selection and _PRINTING_FUNCTION.search(filter_text) is None
