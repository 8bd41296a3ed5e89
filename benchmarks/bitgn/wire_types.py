"""The fields of messages in proto3 JSON, and messages within messages.

A field has a name in our operation (a function that scripts call), a name in the message,
and a type. `to_wire` converts the values of an operation to a message, `from_wire` a
received message to values. For example, the operation's result

    {"entries": [{"name": "a.md", "path": "/a.md", "is_dir": False}]}

is sent as

    {"entries": [{"name": "a.md", "path": "/a.md", "kind": "NODE_KIND_FILE"}]}

proto3 JSON omits default values, so a missing field has its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.benchmarks.bitgn.wire_values import (
    TEXT,
    UNSPECIFIED,
    NamedValues,
    Scalar,
    ShapeError,
    TextList,
    checked_list,
)
from controlplane.sandbox.interface import Plain

CHILDREN: Final = "children"
"""The field of a tree's node with the nodes below it."""
DEFAULTS: Final[tuple[Plain, ...]] = ("", 0, False, [], UNSPECIFIED)
"""The default values of all fields, which messages omit. `UNSPECIFIED` is that of an enum."""


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
        return [from_wire(self.fields, message) for message in checked_list(value)]


@dataclass(frozen=True, slots=True)
class NodeList:
    """The type of the field `children` of a node: a list of nodes, which have `children` again.

    `[{"name": "docs", "children": [{"name": "a.md"}]}]`
    """

    fields: tuple[Field, ...]
    """The other fields of each node, such as its name."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the messages to send for our nodes, with all nodes below them."""
        return self._message_list().to_wire(value)

    def from_wire(self, value: Plain) -> Plain:
        """Return our nodes for received messages. Raises `ShapeError`."""
        return self._message_list().from_wire(value)

    def _message_list(self) -> MessageList:
        """Return the type of a list of messages with all fields of a node."""
        children = Field(CHILDREN, CHILDREN, self)  # The same type, one level below
        return MessageList((*self.fields, children))


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


def to_wire(fields: Iterable[Field], values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a message in proto3 JSON, without fields that have their default value.

    `{"path": "/a.md", "limit": 0}` -> `{"path": "/a.md"}`
    """
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
