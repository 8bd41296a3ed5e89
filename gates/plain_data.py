"""Copies untrusted values into plain data, and quotes or describes them in messages.

Untrusted values are read through the built-in types alone, so a dict that lies about its items, or a string with its
own `__eq__`, cannot run its code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias, cast

Plain: TypeAlias = "bool | int | float | str | Foreign | list[Plain] | dict[str, Plain] | None"
"""The exact JSON types, and `Foreign` in place of anything else."""

MAX_VALUES: Final = 20_000
"""Max values of one submission that are copied; the rest is marked and stays unread."""
MAX_DEPTH: Final = 40

_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "`": "'"}


@dataclass(frozen=True, slots=True)
class Foreign:
    """Replaces a value that is not plain data, and keeps the name of its type."""

    kind: str


_LEAVES: Final = frozenset((type(None), bool, int, float, str, Foreign))


class PlainCopier:
    """Copies values within one budget, so that a cyclic or endless value takes bounded time."""

    def __init__(self) -> None:
        self.left = MAX_VALUES

    def copy(self, value: object, depth: int = 0) -> Plain:
        """Return a copy of `value` in exact JSON types, with `Foreign` in place of everything else."""
        self.left -= 1
        if self.left < 0:
            return Foreign("value beyond the size limit")
        if depth > MAX_DEPTH:
            return Foreign("value nested too deep")
        kind = type(value)
        if kind in _LEAVES:
            return cast("Plain", value)
        if issubclass(kind, str):
            return str.__str__(cast("str", value))
        if issubclass(kind, int):
            return int.__int__(cast("int", value))
        if issubclass(kind, float):
            return float.__float__(cast("float", value))
        if issubclass(kind, dict):
            return self._copy_dict(cast("dict[object, object]", value), depth)
        if issubclass(kind, list):
            items = list.__iter__(cast("list[object]", value))
            return [self.copy(item, depth + 1) for item in items if self.left >= 0]
        if issubclass(kind, tuple):
            members = tuple.__iter__(cast("tuple[object, ...]", value))
            return [self.copy(item, depth + 1) for item in members if self.left >= 0]
        return Foreign(type.__getattribute__(kind, "__name__"))

    def _copy_dict(self, value: dict[object, object], depth: int) -> dict[str, Plain]:
        copied: dict[str, Plain] = {}
        for key, item in dict.items(value):
            if self.left < 0:
                break
            name = str.__str__(key) if isinstance(key, str) else describe(self.copy(key, depth + 1))
            copied[name] = self.copy(item, depth + 1)
        return copied


def quote(text: str, limit: int = 80) -> str:
    """Return `text` in back quotes for a message: one line, at most `limit` characters, no lone surrogates."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "`" + "".join(_escape(char) for char in cut) + "`"


def quote_some(texts: list[str], most: int = 5) -> str:
    """Return the first `most` texts quoted, and a count of the others."""
    rest = len(texts) - most
    return ", ".join(map(quote, texts[:most])) + (f" and {rest} more" if rest > 0 else "")


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    return f"\\u{code:04x}" if code < 32 or 0x7F <= code < 0xA0 or 0xD800 <= code <= 0xDFFF else char


def describe(value: Plain) -> str:
    """Return a few words about `value` for a message: the value itself if it is short, else its type and size."""
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, int):
        return f"the number `{value}`" if value.bit_length() < 1_000 else "a huge number"
    if isinstance(value, float):
        return f"the number `{value!r}`"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a mapping of {len(value)}"
    return f"a {value.kind}"


def surrogate_at(text: str) -> int | None:
    """Return the index of the first lone surrogate in `text`, which UTF-8 cannot encode, or None."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as fault:
        return fault.start
    return None
