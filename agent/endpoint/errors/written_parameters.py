"""Finds the names of parameters in the text of an error.

| text | names |
|---|---|
| `'seed' is not supported` | `seed` |
| `messages[1].content: must be a string` | `messages[1].content` |
"""

from __future__ import annotations

from typing import Final

import re2

MAX_SEARCHED_CHARS: Final = 4_000
"""Max characters of one error text that are searched for names of parameters."""

_NAME: Final = r"([A-Za-z_][\w./\[\]]{0,80})"
"""A name with its path: `temperature`, `text.format`, `messages[1]`."""

_FORMS: Final = (
    rf"""["'`‘“\[]/?{_NAME}["'`’”\]]""",  # 'temperature' does not support 0.5
    rf"\A{_NAME}: ",  # max_tokens: Extra inputs are not permitted
    rf": {_NAME}\.?\z",  # Unknown parameter: top_p.
    rf"\b{_NAME} (?:is|are) not (?:supported|permitted)",  # seed is not supported
)
"""The forms in which error texts name a parameter, each with a group for the name."""
NAMED_PARAMETER: Final = re2.compile("|".join(_FORMS))


def parameters_in_text(message: str) -> list[str]:
    """Return the names in one error text that may be parameters, in order."""
    names: list[str] = []
    for match in NAMED_PARAMETER.finditer(message[:MAX_SEARCHED_CHARS]):
        # Only the group of the form that matched is not None.
        names += [name for name in match.groups() if name]
    return names
