"""The values, types and services of the remote platform's protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, TypeAlias

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    struct_pb2,  # noqa: F401 - `harness.proto` needs it loaded
)
from google.protobuf.descriptor import ServiceDescriptor

from controlplane.sandbox.interface import Plain

# The types of single values in proto3 JSON: texts, integers, Booleans, lists of texts, enums.
#
# Each converts a value in both directions: our `True` for a directory is sent as
# `NODE_KIND_DIR`, and back. Received values are checked, because a proxy may have sent
# anything. Integers may arrive as text: `"7"`.

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
        if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_INT64_DIGITS:
            return int(value)
    return value


# The fields of messages in proto3 JSON, and messages within messages.
#
# A field has a name in our operation (a function that scripts call), a name in the message,
# and a type. `to_wire` converts the values of an operation to a message, `from_wire` a
# received message to values. For example, the operation's result
#
#     {"entries": [{"name": "a.md", "path": "/a.md", "is_dir": False}]}
#
# is sent as
#
#     {"entries": [{"name": "a.md", "path": "/a.md", "kind": "NODE_KIND_FILE"}]}
#
# proto3 JSON omits default values, so a missing field has its default.

CHILDREN: Final = "children"
"""The field of a tree's node with the nodes below it."""
DEFAULTS: Final[tuple[Plain, ...]] = ("", 0, False, [], UNSPECIFIED)
"""The default values of all fields, which messages omit. `UNSPECIFIED` is that of an enum."""


@dataclass(frozen=True, slots=True)
class MessageList:
    """The type of a field that holds a list of messages, such as the entries of a folder.

    The messages of a tree are nodes: `[{"name": "docs", "children": [{"name": "a.md"}]}]`
    """

    message_fields: tuple[Field, ...]
    """The fields of each message, without those of `CHILDREN`."""
    is_tree: bool = False
    """True if each message has a field `CHILDREN` with messages of this type."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields of each message."""
        if not self.is_tree:
            return self.message_fields
        return (*self.message_fields, Field(CHILDREN, CHILDREN, self))

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


FieldType: TypeAlias = Scalar | TextList | NamedValues | MessageList


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


# The services of the platform: `.proto` files from its public description, and compiled.
#
# After a change of `proto/NAME.proto`, run this command in the root of the repository, where P is
# `benchmarks/bitgn/proto`:
# `python -m grpc_tools.protoc -I. --descriptor_set_out=$P/NAME.binpb $P/NAME.proto`.


def _services(name: str) -> Mapping[str, ServiceDescriptor]:
    compiled = descriptor_pb2.FileDescriptorSet.FromString(
        (files(__package__) / "proto" / f"{name}.binpb").read_bytes()
    )
    described = descriptor_pool.Default().AddSerializedFile(
        compiled.file[0].SerializeToString()
    )
    return {
        service.full_name: service for service in described.services_by_name.values()
    }


SERVICES: Final = {**_services("harness"), **_services("ecom")}
"""The services by their full names."""
