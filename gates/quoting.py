"""Puts texts and other values into messages: quoted, on one line, and not too long.

    quote("Loan 17 of Ann Miller", 12)      `Loan 17 of …`
    describe(["a", "b", "c"])               a list of 3

The values may come from a script, and so have any form.
"""

from __future__ import annotations

import json
from typing import Final, TypeAlias

# Plain data: values that JSON can hold. A script may submit values of any other type.
#
# A plain copy cannot change later, and has no code that runs when a gate looks at it.

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""A value that JSON can hold. Any other value that a script submits becomes None."""


def plain_copy(value: object) -> Plain:
    """Return a copy of a value as JSON holds it: `{"a": (1, {2})}` -> `{"a": [1, None]}`.

    Returns None for a value that is nested too deeply or contains itself.
    """
    try:
        text = json.dumps(value, skipkeys=True, default=_none_for)
        copy: Plain = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return copy


def _none_for(value: object) -> None:
    """Return what `json` writes for an object that it cannot hold: None."""
    return None  # noqa: RET501 - the value counts


_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "`": "'"}


def quote(text: str, limit: int = 80) -> str:
    """Return a text in back quotes, as one line of at most `limit` characters.

    Control characters and lone surrogates are shown as escapes: a line break as `\\n`. A back
    quote becomes a `'`.
    """
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return "`" + "".join(_escaped(character) for character in text) + "`"


def quote_some(texts: list[str], most: int = 5) -> str:
    """Return the first texts in quotes, and how many more there are: "`a`, `b` and 3 more"."""
    shown = ", ".join(quote(text) for text in texts[:most])
    rest = len(texts) - most
    if rest > 0:
        shown += f" and {rest} more"
    return shown


def _escaped(character: str) -> str:
    """Return a character as it is shown between back quotes."""
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    is_control = code < 32 or 0x7F <= code < 0xA0
    is_surrogate = 0xD800 <= code <= 0xDFFF
    if is_control or is_surrogate:
        return f"\\u{code:04x}"
    return character


def describe(value: Plain) -> str:
    """Return a few words about a value: "`abc`", "the number `7`", "a list of 3"."""
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, int | float):
        return f"the number {quote(repr(value))}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"a mapping of {len(value)}"
