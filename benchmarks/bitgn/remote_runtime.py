"""The tool schema of a remote trial, and the proto3 JSON form of its operations.

The client converts an operation's arguments to a request, and a reply to result fields. The server
converts in the other direction with the same `Field` objects. For example, the result

    {"entries": [{"name": "a.md", "path": "/a.md", "is_dir": False}]}

is sent as

    {"entries": [{"name": "a.md", "path": "/a.md", "kind": "NODE_KIND_FILE"}]}

proto3 JSON omits default values, so a missing field has its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from pydantic.alias_generators import to_camel

from controlplane.benchmarks.shop.declarations import shop_tool_schema
from controlplane.sandbox.interface import FILE_OPERATIONS, NamedFiles, Operation, Plain

SERVICE: Final = "bitgn.vm.ecom.EcomRuntime"
RULE_SETS: Final = ("ecom",)
"""The rule sets that a run with this runtime uses."""
FILE: Final = "NODE_KIND_FILE"
DIRECTORY: Final = "NODE_KIND_DIR"
UNSPECIFIED: Final = "NODE_KIND_UNSPECIFIED"
MAX_INT64_DIGITS: Final = 19
"""The most digits of a 64-bit integer, which proto3 JSON sends as text."""


class ShapeError(ValueError):
    """A message does not have the form that the platform describes."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """The type of a field that holds a text, an integer or a Boolean, like its default."""

    default: str | int | bool = ""
    """The value of a missing field."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the value to send for one of ours."""
        return self.default if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return our value for a received one. Raises `ShapeError`."""
        if value is None:
            return self.default
        if type(self.default) is int:
            value = _whole_number(value)
        _check_type(value, type(self.default))
        return value


@dataclass(frozen=True, slots=True)
class TextList:
    """The type of a field that holds a list of texts."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the list to send for one of ours."""
        return [] if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return our list for a received one. Raises `ShapeError`."""
        if value is None:
            return []
        for item in _checked_list(value):
            if not isinstance(item, str):
                msg = f"{value!r} is not a list of strings"
                raise ShapeError(msg)
        return value


@dataclass(frozen=True, slots=True)
class Enum:
    """The type of a field that holds one of several named values."""

    value_of_name: Mapping[str, str | bool]
    """Our value for each name that is sent, such as `{"NODE_KIND_DIR": True}`. The order is that of
    the enum's numbers, which may be sent instead of names. The first is the default."""

    def to_wire(self, value: Plain) -> str:
        """Return the name to send for our value; the default's name for an unknown value.

        If several names have the same value, the last one is sent: `NODE_KIND_FILE` for `False`,
        not
        `NODE_KIND_UNSPECIFIED`.
        """
        name_to_send = next(iter(self.value_of_name))  # The first name is the default.
        for name, own_value in self.value_of_name.items():
            if own_value == value:
                name_to_send = name
        return name_to_send

    def from_wire(self, value: Plain) -> str | bool:
        """Return our value for a name or a number. Raises `ShapeError`."""
        names = list(self.value_of_name)
        if value is None:
            return self.value_of_name[names[0]]
        if isinstance(value, str) and value in names:
            return self.value_of_name[value]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number:
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
        """Return the messages to send for our mappings."""
        messages: list[Plain] = []
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    messages.append(to_wire(self.fields, item))
        return messages

    def from_wire(self, value: Plain) -> Plain:
        """Return our mappings for received messages. Raises `ShapeError`."""
        if value is None:
            return []
        return [from_wire(self.fields, message) for message in _checked_list(value)]


@dataclass(frozen=True, slots=True)
class NodeList:
    """The type of a field that holds the nodes of a tree. Each node has the same field again."""

    name: str
    wire: str
    other_fields: tuple[Field, ...]
    """The fields of each node except this one."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the nodes to send for our mappings."""
        return self._as_messages().to_wire(value)

    def from_wire(self, value: Plain) -> Plain:
        """Return our mappings for received nodes. Raises `ShapeError`."""
        return self._as_messages().from_wire(value)

    def _as_messages(self) -> MessageList:
        return MessageList((*self.other_fields, Field(self.name, self.wire, self)))


FieldType: TypeAlias = Scalar | TextList | Enum | MessageList | NodeList


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: its name in our operation, its name in the message, and its type."""

    name: str
    wire: str
    type: FieldType = Scalar("")


def _check_type(value: Plain, expected: type) -> None:
    """Raise `ShapeError` if a value has another type. True is not an integer here."""
    if type(value) is not expected:
        msg = f"{value!r} is not of the type {expected.__name__}"
        raise ShapeError(msg)


def _checked_list(value: Plain) -> list[Plain]:
    """Return a value that is a list. Raises `ShapeError` if it is not."""
    _check_type(value, list)
    assert isinstance(value, list)
    return value


def _whole_number(value: Plain) -> Plain:
    """Return an integer for `7`, `7.0` or `"7"`. Return any other value unchanged."""
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
        is_default = value in ("", 0, False, [], UNSPECIFIED)
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


@dataclass(frozen=True, slots=True)
class EffectCheck:
    """The read that finds out if a change took effect although its reply was lost.

    It reads the path of the change.
    """

    method: str
    content_parameter: str = ""
    """The parameter of the change that holds the file's new content; empty if the change removes
    the path."""


@dataclass(frozen=True, slots=True)
class Rpc:
    """How one operation is sent: its method, request and reply."""

    operation: str
    method: str
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    effect_check: EffectCheck | None = None
    """How to find out if a change took effect although its reply was lost. The change is repeated
    only if it did not. None for other calls: of these, only reads are repeated."""
    reply_in: str = ""
    """The field of the reply that contains the result fields; empty if the reply itself does."""

    def request_to_wire(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the request of a call."""
        return to_wire(self.request, arguments)

    def request_from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the arguments of a request. Raises `ShapeError`."""
        return from_wire(self.request, message)

    def reply_to_wire(self, result: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the reply for a result."""
        reply = to_wire(self.reply, result)
        if self.reply_in:
            return {self.reply_in: reply}
        return reply

    def reply_from_wire(self, message: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result fields of a reply. Raises `ShapeError`."""
        if self.reply_in:
            return from_wire(self.reply, message.get(self.reply_in, {}))
        return from_wire(self.reply, dict(message))


# Operations declare the names of parameters and result fields, but not their proto3 types.
_INTEGERS: Final = ("start_line", "end_line", "level", "limit", "line", "exit_code")
_BOOLEANS: Final = ("truncated", "writable")
_STRING_LISTS: Final = ("args", "paths")
_NODE_KIND: Final = Enum({UNSPECIFIED: False, FILE: False, DIRECTORY: True})
"""Tells whether a node is a folder: our `is_dir`."""
_SEARCHED_KIND: Final = Enum({UNSPECIFIED: "all", FILE: "files", DIRECTORY: "dirs"})
_EFFECT_CHECKS: Final = {
    "write": EffectCheck("Read", content_parameter="content"),
    "delete": EffectCheck("Stat"),
}


def _field(name: str, item_fields: tuple[str, ...] = ()) -> Field:
    """Return the proto3 form of a parameter or result field: `start_line` -> integer `startLine`.

    If the field is a list of messages, `item_fields` are the fields of an item.
    """
    match name:
        case "is_dir":
            return Field(name, "kind", _NODE_KIND)
        case "kind":
            return Field(name, "kind", _SEARCHED_KIND)
        case "text":  # The text of a line that a search has found. No other field has this name.
            return Field(name, "lineText")
    wire_name = to_camel(name)
    if item_fields:
        other_fields = tuple(_field(item_field) for item_field in item_fields if item_field != name)
        is_tree = name in item_fields  # The nodes of a tree have `children`, which have `children`.
        if is_tree:
            return Field(name, wire_name, NodeList(name, wire_name, other_fields))
        return Field(name, wire_name, MessageList(other_fields))
    if name in _INTEGERS:
        return Field(name, wire_name, Scalar(0))
    if name in _BOOLEANS:
        return Field(name, wire_name, Scalar(False))
    if name in _STRING_LISTS:
        return Field(name, wire_name, TextList())
    return Field(name, wire_name)


def _rpc(operation: Operation) -> Rpc:
    reply = [_field(result_field.name, result_field.items) for result_field in operation.fields]
    if operation.name == "read":
        reply.append(_field("content_type"))
    return Rpc(
        operation.name,
        operation.name.capitalize(),
        request=tuple(_field(parameter.name) for parameter in operation.parameters),
        reply=tuple(reply),
        effect_check=_EFFECT_CHECKS.get(operation.name),
        reply_in="root" if operation.name == "tree" else "",
    )


RPCS: Final = {operation.name: _rpc(operation) for operation in FILE_OPERATIONS}
"""The proto3 form of each operation, by name."""
# Limits of the initial prompt of a trial.
MAX_LISTED_FILES: Final = 6
"""The most files of one folder in the tree. A larger folder shows its first files and a count."""
RANKED_CHARS: Final = 8_100
"""The most characters of all documents that match the instruction."""
HELP_CHARS: Final = 400
"""The most characters of one tool's help."""
RECORD_CHARS: Final = 600
"""The most characters of a file that matches the instruction but is not named in it."""
_NAMED_FILES: Final = NamedFiles(
    roots=("/proc", "/uploads"),
    records="/proc",
    search="search",
    each_chars=RECORD_CHARS,
    follows_records=False,  # Functions of the shop join records.
)
TOOL_SCHEMA: Final = replace(
    shop_tool_schema(
        _NAMED_FILES,
        listing=MAX_LISTED_FILES,
        ranked_chars=RANKED_CHARS,
        help_chars=HELP_CHARS,
    ),
    reads_side_by_side=True,
)
