"""Converts values between the wire and an operation: both directions of one conversion, as data.

The client turns parameters into a request and a reply into result fields; the server does the reverse with the same
fields. proto3 JSON leaves out what has its default value, so absence is read as the default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sandbox.interface import Plain

FILE: Final = "NODE_KIND_FILE"
DIRECTORY: Final = "NODE_KIND_DIR"
UNSPECIFIED: Final = "NODE_KIND_UNSPECIFIED"


class ShapeError(ValueError):
    """A value is not what the wire's description says."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name in the operation, its name on the wire, and the form of its value."""

    name: str
    wire: str
    default: Plain = ""
    """The value of an absent field; it sets the type: text, whole number, Boolean, or list (of strings or `rows`)."""
    names: dict[str, str | bool] | None = None
    """The operation's values of an enum by their names on the wire, in the order of their numbers, which may be sent in
    place of names. The first one is the default."""
    rows: tuple[Field, ...] = ()
    """The fields of each message in a list of messages."""
    is_nested: bool = False
    """True if each of these messages has this field too."""

    def to_wire(self, value: Plain) -> Plain:
        """Return an operation's value as it is sent."""
        if self.names is not None:
            return next((wire for wire, ours in reversed(self.names.items()) if ours == value), next(iter(self.names)))
        if self.rows:
            rows = value if isinstance(value, list) else []
            return [to_wire(self._below, row) for row in rows if isinstance(row, dict)]
        return self.default if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return a sent value as an operation's value. Raises `ShapeError`."""
        if self.names is not None:
            known = [*self.names]
            number = 0 if value is None else value
            name = known[number] if type(number) is int and 0 <= number < len(known) else value
            if not isinstance(name, str) or name not in self.names:
                msg = f"{value!r} is not one of {', '.join(known)}"
                raise ShapeError(msg)
            return self.names[name]
        if value is None:
            return [] if isinstance(self.default, list) else self.default
        if type(self.default) is int:
            value = _whole(value)
        if type(value) is not type(self.default):
            msg = f"{value!r} is not of the type {type(self.default).__name__}"
            raise ShapeError(msg)
        if not isinstance(value, list):
            return value
        if not self.rows and not all(isinstance(text, str) for text in value):
            msg = f"{value!r} is not a list of strings"
            raise ShapeError(msg)
        return [from_wire(self._below, row) for row in value] if self.rows else value

    @property
    def _below(self) -> tuple[Field, ...]:
        return (*self.rows, self) if self.is_nested else self.rows


def _whole(value: Plain) -> Plain:
    """Return the integer that `value` means, which may be sent as text or as 1.0; else `value`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value) else value


def to_wire(fields: Iterable[Field], values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a message in proto3 JSON; values that no field names are left out, and so are defaults."""
    message = {field.wire: field.to_wire(values.get(field.name)) for field in fields}
    return {name: value for name, value in message.items() if value not in ("", 0, False, [], UNSPECIFIED)}


def from_wire(fields: Iterable[Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message, each with its default if it is absent. Raises `ShapeError`."""
    if not isinstance(message, dict):
        msg = f"{message!r} is not a message"
        raise ShapeError(msg)
    values: dict[str, Plain] = {}
    for field in fields:
        try:
            values[field.name] = field.from_wire(message.get(field.wire))
        except ShapeError as error:
            msg = f"{field.wire}: {error}"
            raise ShapeError(msg) from None
    return values
