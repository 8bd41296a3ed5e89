"""The types of a message's fields in proto3 JSON.

A field has a name in our operation (a function that scripts call), a name in the
message, and a type, such as `TextList`. The type converts values in both directions:
`to_wire` from the operation to a message, `from_wire` from a received message to the
operation. Received values are checked, because a proxy may have sent anything. For
example, the operation's result

    {"entries": [{"name": "a.md", "path": "/a.md", "is_dir": False}]}

is sent as

    {"entries": [{"name": "a.md", "path": "/a.md", "kind": "NODE_KIND_FILE"}]}

proto3 JSON omits default values, so a missing field has its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.sandbox.interface import Plain

CHILDREN: Final = "children"
"""The field of a tree's node with the nodes below it."""
UNSPECIFIED: Final = "NODE_KIND_UNSPECIFIED"
DEFAULTS: Final[tuple[Plain, ...]] = ("", 0, False, [], UNSPECIFIED)
"""The default values of all fields, which messages omit. `UNSPECIFIED` is that of an enum."""
MAX_INT64_DIGITS: Final = 19
"""The most digits of a 64-bit integer, which proto3 JSON sends as text."""


class ShapeError(ValueError):
    """A message does not have the form that the platform describes."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """The type of a field that holds one text, integer or Boolean."""

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
        for item in _checked_list(value):
            if not isinstance(item, str):
                msg = f"{value!r} is not a list of strings"
                raise ShapeError(msg)
        return value


@dataclass(frozen=True, slots=True)
class NamedValues:
    """The type of a field that holds a name of a value: an enum of the protocol."""

    value_of_name: Mapping[str, str | bool]
    """Our value for each name in messages, such as `{"NODE_KIND_DIR": True}`.

    The first name is the default. Instead of a name, its number may be received: 0 for
    the first name, 1 for the second. So the order matters.
    """

    @property
    def default_name(self) -> str:
        """The name that a missing field stands for."""
        return next(iter(self.value_of_name))

    def to_wire(self, value: Plain) -> str:
        """Return the name to send for a value; the default's name for an unknown value."""
        names = [
            name for name, own_value in self.value_of_name.items() if own_value == value
        ]
        if not names:
            return self.default_name
        # The default and another name may have the same value. Send the other one, which
        # is later: `NODE_KIND_FILE` for `is_dir: False`, not `NODE_KIND_UNSPECIFIED`.
        return names[-1]

    def from_wire(self, value: Plain) -> str | bool:
        """Return our value for a received name or number. Raises `ShapeError`."""
        names = list(self.value_of_name)
        if value is None:
            return self.value_of_name[self.default_name]
        if isinstance(value, str) and value in names:
            return self.value_of_name[value]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number:
            # A loop, because the number may be negative or too large for an index.
            for number, name in enumerate(names):
                if number == value:
                    return self.value_of_name[name]
        msg = f"{value!r} is not one of {', '.join(names)}"
        raise ShapeError(msg)


@dataclass(frozen=True, slots=True)
class MessageList:
    """The type of a field that holds a list of messages, such as the entries of a folder."""

    fields: tuple[Field, ...]
    """The fields of each message."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the messages to send for our list of mappings.

        What is not a mapping is left out: our own results are trusted, unlike received ones.
        """
        messages: list[Plain] = []
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    messages.append(to_wire(self.fields, item))
        return messages

    def from_wire(self, value: Plain) -> Plain:
        """Return our list of mappings for received messages. Raises `ShapeError`."""
        if value is None:
            return []
        return [from_wire(self.fields, message) for message in _checked_list(value)]


@dataclass(frozen=True, slots=True)
class NodeList:
    """The type of the field `children` in a tree: a list of nodes, which have `children` again."""

    fields: tuple[Field, ...]
    """The other fields of each node, such as its name."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the messages to send for our nodes, with all nodes below them."""
        return self._messages.to_wire(value)

    def from_wire(self, value: Plain) -> Plain:
        """Return our nodes for received messages. Raises `ShapeError`."""
        return self._messages.from_wire(value)

    @property
    def _messages(self) -> MessageList:
        """The type of messages with all fields: those of a node, and `children`, a `NodeList` again.

        It is made when it is needed, once for each level of a tree.
        """
        return MessageList((*self.fields, Field(CHILDREN, CHILDREN, self)))


FieldType: TypeAlias = Scalar | TextList | NamedValues | MessageList | NodeList


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    name: str
    """The name of the parameter or result field in the operation."""
    wire: str
    """The name in messages."""
    type: FieldType = TEXT
    """Converts the field's values."""


def _check_type(value: Plain, expected: type) -> None:
    """Raise `ShapeError` if a value has another type. True is not an integer here."""
    if type(value) is not expected:
        msg = f"{value!r} is not of the type {expected.__name__}"
        raise ShapeError(msg)


def _checked_list(value: Plain) -> list[Plain]:
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
        if digits.isascii() and digits.isdecimal() and len(digits) <= MAX_INT64_DIGITS:
            return int(value)
    return value


def to_wire(fields: Iterable[Field], values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a message in proto3 JSON, without fields that have their default value."""
    message: dict[str, Plain] = {}
    for field in fields:
        value = field.type.to_wire(values.get(field.name))
        is_default = value in DEFAULTS  # An empty text or list, 0, False, ...
        if not is_default:
            message[field.wire] = value
    return message


def from_wire(fields: Iterable[Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message by our names. Missing fields get their defaults.

    Raises `ShapeError` that names the field.
    """
    if not isinstance(message, dict):
        msg = f"{message!r} is not a message"
        raise ShapeError(msg)
    values: dict[str, Plain] = {}
    for field in fields:
        try:
            values[field.name] = field.type.from_wire(message.get(field.wire))
        except ShapeError as error:
            msg = f"{field.wire}: {error}"
            raise ShapeError(msg) from None
    return values
