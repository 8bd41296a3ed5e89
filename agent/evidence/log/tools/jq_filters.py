"""Recognises filters of the tool jq that only select parts of a file.

`jq .rows[0].name /a.json` prints a part of the file, so an answer may cite the file for it. But
`jq '"fee: 7"' /a.json` prints a text that the script made up. So a filter is trusted only if it
consists of *stages*, with `|` or `,` between them:

    .rows[] | select(.fee > 3) | .name, .id

| stage | example |
|---|---|
| a path | `.`, `.rows[0].name`, `.["name"]`, `.rows[1:3]?` |
| a condition that calls no function | `select(.fee > 3 and .name == "late")` |
| a word | `keys`, `length` |
"""

from __future__ import annotations

from typing import Final

import re2

_PATH: Final = (
    r"\.(?:[A-Za-z_]\w*)?"  # `.name`, or only the dot
    r"(?:"
    r"\.[A-Za-z_]\w*"  # a further `.name`
    r"|\.?\[-?[0-9]*(?::-?[0-9]*)?\]"  # `[0]`, `[1:3]`, `[-1]`, `[]`
    r'|\.?\["[^"\\]*"\]'  # `["name"]`
    r")*"
    r"\??"  # `.name?`
)
_CONDITION: Final = (
    r"select\((?:"
    r'[^()"#\\]'  # any sign, but no parenthesis, as of `test("a")`, and no comment (`#`)
    r'|"(?:[^()"\\]|\\[^()])*"'  # a text `"a \"b\""`, but none with code: `"\(env)"`
    r")*\)"
)
_STAGE: Final = rf"(?:{_PATH}|{_CONDITION}|keys|length)"
_FILTER: Final = re2.compile(rf"\s*{_STAGE}(?:\s*[|,]\s*{_STAGE})*\s*")

_PRINTING_FUNCTION: Final = re2.compile(r'(?:^|[^\w."])(?:debug|stderr)\b')
"""A function that prints more than is selected. It needs no parentheses, so it could stand in a
condition: `select(debug)`. The field `.debug` is not meant."""
MOST_FILTER_CHARS: Final = 1_000
"""The longest filter that is examined, in characters."""


def only_selects(filter_text: str) -> bool:
    """Return True if a filter only selects parts of its input: `.rows[0].name`.

    `"fee: 7"`, `.fee + 7`, `env` and `[7]` do not: they are not stages. In doubt, return False:
    the output of the tool then proves nothing.
    """
    if not filter_text.isascii() or len(filter_text) > MOST_FILTER_CHARS:
        return False
    is_selection = _FILTER.fullmatch(filter_text) is not None
    return is_selection and _PRINTING_FUNCTION.search(filter_text) is None
