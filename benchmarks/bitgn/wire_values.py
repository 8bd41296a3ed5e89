"""The types of single values in proto3 JSON: texts, integers, Booleans, lists of texts, enums.

Each converts a value in both directions: our `True` for a directory is sent as
`NODE_KIND_DIR`, and back. Received values are checked, because a proxy may have sent
anything. Integers may arrive as text: `"7"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import Plain

UNSPECIFIED: Final = "NODE_KIND_UNSPECIFIED"
_MAX_INT64_DIGITS: Final = 19
"""The most digits of a 64-bit integer, which proto3 JSON sends as text."""


class ShapeError(ValueError):
    """A message does not have the form that the platform describes."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """The type of a field that holds one text, integer or Boolean.

    A missing or null field has the default; a value of another type is refused.
    """

    default: str | int | bool = ""
    """The value of a missing field. It also sets the type: `Scalar(0)` is for integers only."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the value to send for our value: the default for None."""
        return self.default if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return our value for a received one: the default for None. Raises `ShapeError`."""
        if value is None:
            return self.default
        expected_type = type(self.default)
        if expected_type is int:
            value = _whole_number(value)
        _check_type(value, expected_type)
        return value


TEXT: Final = Scalar("")
INTEGER: Final = Scalar(0)
BOOLEAN: Final = Scalar(default=False)


@dataclass(frozen=True, slots=True)
class TextList:
    """The type of a field that holds a list of texts."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the list to send for our list: an empty one for None."""
        return [] if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return our list for a received one: an empty one for None. Raises `ShapeError`."""
        if value is None:
            return []
        for item in checked_list(value):
            if not isinstance(item, str):
                msg = f"{value!r} is not a list of strings"
                raise ShapeError(msg)
        return value


@dataclass(frozen=True, slots=True)
class NamedValues:
    """The type of a field that holds a name of a value: an enum of the protocol."""

    value_of_name: Mapping[str, str | bool]
    """Our value for each name in messages, such as `{"NODE_KIND_DIR": True}`.

    The first name is the default, which a missing field stands for. The order matters,
    because a sender may send the number of a name instead: 0 for the first one.
    """

    def to_wire(self, value: Plain) -> str:
        """Return the name to send for a value; the default name for an unknown value."""
        default_name, *explicit_names = self.value_of_name
        for name in explicit_names:
            if self.value_of_name[name] == value:
                return name
        return default_name

    def from_wire(self, value: Plain) -> str | bool:
        """Return our value for a received name or number. Raises `ShapeError`."""
        if isinstance(value, str) and value in self.value_of_name:
            return self.value_of_name[value]
        values = list(self.value_of_name.values())
        if value is None:
            return values[0]
        if type(value) is int and 0 <= value < len(values):
            return values[value]
        names = ", ".join(self.value_of_name)
        msg = f"{value!r} is not one of {names}"
        raise ShapeError(msg)


def _check_type(value: Plain, expected: type) -> None:
    """Raise `ShapeError` if a value has another type. True is not an integer here."""
    if type(value) is not expected:
        msg = f"{value!r} is not of the type {expected.__name__}"
        raise ShapeError(msg)


def checked_list(value: Plain) -> list[Plain]:
    """Return a value that is a list. Raises `ShapeError` if it is not."""
    _check_type(value, list)
    assert isinstance(value, list)  # For the type checker
    return value


def _whole_number(value: Plain) -> Plain:
    """Return an integer for `7`, `7.0` or `"7"`, which proto3 JSON allows for an integer.

    Return any other value unchanged.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_INT64_DIGITS:
            return int(value)
    return value
