"""Plain data out of whatever a submission holds, and a safe way to show a value in a message.

Nothing here calls a method that the value itself could have replaced: a dict that lies about its items or a string with
its own `__eq__` is read through the built-in type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias, cast

Plain: TypeAlias = "bool | int | float | str | Foreign | list[Plain] | dict[str, Plain] | None"
"""JSON's own types, exact, and a marker where something else stood."""

MAX_VALUES: Final = 200_000
"""Values copied of one submission; what lies beyond is marked, not read."""
MAX_DEPTH: Final = 40

_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "`": "'"}


@dataclass(frozen=True, slots=True)
class Foreign:
    """Stands where a value was that is no data; names its type."""

    kind: str


class _Copier:
    """Copies one value within a budget of values, so that a cyclic or endless one costs a bounded time."""

    def __init__(self) -> None:
        self.left = MAX_VALUES

    def copy(self, value: object, depth: int = 0) -> Plain:
        self.left -= 1
        if self.left < 0:
            return Foreign("value beyond the size limit")
        if depth > MAX_DEPTH:
            return Foreign("value nested too deep")
        if value is None or type(value) in (bool, int, float, str, Foreign):
            return cast("Plain", value)
        return self._copy_unusual(value, depth)

    def _copy_unusual(self, value: object, depth: int) -> Plain:
        """Copy a container, or an instance of a subclass of a plain type. What runs out of budget is left off."""
        kind = type(value)
        if issubclass(kind, str):
            return str.__str__(cast("str", value))
        if issubclass(kind, int):
            return int.__int__(cast("int", value))
        if issubclass(kind, float):
            return float.__float__(cast("float", value))
        if issubclass(kind, dict):
            return self._copy_dict(cast("dict[object, object]", value), depth)
        if issubclass(kind, list):
            return [self.copy(each, depth + 1) for each in list.__iter__(cast("list[object]", value)) if self.left >= 0]
        if issubclass(kind, tuple):
            items = tuple.__iter__(cast("tuple[object, ...]", value))
            return [self.copy(each, depth + 1) for each in items if self.left >= 0]
        return Foreign(type.__getattribute__(kind, "__name__"))

    def _copy_dict(self, value: dict[object, object], depth: int) -> dict[str, Plain]:
        copied: dict[str, Plain] = {}
        for key, each in dict.items(value):
            if self.left < 0:
                break
            name = str.__str__(key) if isinstance(key, str) else describe(self.copy(key, depth + 1))
            copied[name] = self.copy(each, depth + 1)
        return copied


def copy_plain(value: object) -> Plain:
    """Return a copy of `value` that holds exact JSON types alone, with `Foreign` for everything else."""
    return _Copier().copy(value)


def show(text: str, limit: int = 80) -> str:
    """Return `text` in back quotes for a message: one line, at most `limit` characters, no lone surrogates."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "`" + "".join(_escape(char) for char in cut) + "`"


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    return f"\\u{code:04x}" if code < 32 or 0x7F <= code < 0xA0 or 0xD800 <= code <= 0xDFFF else char


def describe(value: Plain) -> str:
    """Return what `value` is, in a few words for a message: its type and, where short, the value."""
    if isinstance(value, str):
        return show(value)
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
    """Return the place of the first lone surrogate in `text`, which no wire or file can carry; None without one."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as fault:
        return fault.start
    return None
