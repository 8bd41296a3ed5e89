"""How one value looks on the wire and in an operation: the two directions of one conversion, as data.

The client turns parameters into a request and a reply into result fields; the server does the reverse with the same
shapes. proto3 JSON leaves out what has its default value, so absence is read as the default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from sandbox.interface import Plain

FILE: Final = "NODE_KIND_FILE"
DIRECTORY: Final = "NODE_KIND_DIR"
UNSPECIFIED: Final = "NODE_KIND_UNSPECIFIED"
NODE_KINDS: Final = (UNSPECIFIED, FILE, DIRECTORY)
"""By number."""


class ShapeError(ValueError):
    """A value is not what the wire's description says."""


def _whole(value: Plain) -> Plain:
    """Return the integer that `value` stands for, which may be sent as text or as 1.0; else `value`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value) else value


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value that is the same on both sides."""

    default: str | int | bool

    def to_wire(self, value: Plain) -> Plain:
        return self.default if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        if value is None:
            return self.default
        if type(self.default) is int:
            value = _whole(value)
        if type(value) is not type(self.default):
            msg = f"{value!r} is no {type(self.default).__name__}"
            raise ShapeError(msg)
        return value


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of strings."""

    def to_wire(self, value: Plain) -> Plain:
        return list(value) if isinstance(value, list) else []

    def from_wire(self, value: Plain) -> Plain:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            msg = f"{value!r} is not a list of strings"
            raise ShapeError(msg)
        return value


@dataclass(frozen=True, slots=True)
class Choice:
    """An enum of the wire whose values have other names, or other types, in the operation."""

    names: Mapping[str, str | bool]
    """Wire name to operation value; the first one stands for absence."""
    numbered: tuple[str, ...] = NODE_KINDS
    """The wire names by number, which may be sent in place of a name."""

    def to_wire(self, value: Plain) -> Plain:
        return next((wire for wire, ours in self.names.items() if ours == value), next(iter(self.names)))

    def from_wire(self, value: Plain) -> Plain:
        if value is None:
            return next(iter(self.names.values()))
        if type(value) is int and 0 <= value < len(self.numbered):
            value = self.numbered[value]
        if not isinstance(value, str) or value not in self.names:
            msg = f"{value!r} is none of {', '.join(self.names)}"
            raise ShapeError(msg)
        return self.names[value]


Shape: TypeAlias = "Scalar | Texts | Choice | Rows"
"""Turns an operation's value `to_wire` and the wire's `from_wire`, in which None stands for an absent value. The latter
raises `ShapeError`."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name in the operation, its name on the wire, and its shape."""

    name: str
    wire: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class Rows:
    """A list of messages. With `nested`, a row has a field of that name that holds more rows like itself."""

    fields: tuple[Field, ...]
    nested: str = ""

    def to_wire(self, value: Plain) -> Plain:
        rows = value if isinstance(value, list) else []
        return [to_wire(self._all_fields(), row) for row in rows if isinstance(row, dict)]

    def from_wire(self, value: Plain) -> Plain:
        if value is None:
            return []
        if not isinstance(value, list):
            msg = f"{value!r} is not a list"
            raise ShapeError(msg)
        return [from_wire(self._all_fields(), row) for row in value]

    def _all_fields(self) -> tuple[Field, ...]:
        return (*self.fields, Field(self.nested, self.nested, self)) if self.nested else self.fields


def to_wire(fields: Iterable[Field], values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a message in proto3 JSON; values that no field names are left out, and so are defaults."""
    message = {field.wire: field.shape.to_wire(values.get(field.name)) for field in fields}
    return {name: value for name, value in message.items() if value not in ("", 0, False, [], UNSPECIFIED)}


def from_wire(fields: Iterable[Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message, each with its default if it is absent. Raises `ShapeError`."""
    if not isinstance(message, dict):
        msg = f"{message!r} is not a message"
        raise ShapeError(msg)
    values: dict[str, Plain] = {}
    for field in fields:
        try:
            values[field.name] = field.shape.from_wire(message.get(field.wire))
        except ShapeError as error:
            msg = f"{field.wire}: {error}"
            raise ShapeError(msg) from None
    return values
