"""The tool schema of a remote trial, and the proto3 JSON form of its operations.

An `Rpc` describes one operation: the `Field`s of its request and reply. A field has a
name in our operation, a name in the message, and a type, such as `Enum`. A type
converts in both directions: the client sends requests and receives replies, the server
the other way round. For example, the result

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
DEFAULTS: Final[tuple[Plain, ...]] = ("", 0, False, [], UNSPECIFIED)
"""The default values of all fields. The default of both enums below is
`UNSPECIFIED`."""
MAX_INT64_DIGITS: Final = 19
"""The most digits of a 64-bit integer, which proto3 JSON sends as text."""


class ShapeError(ValueError):
    """A message does not have the form that the platform describes."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """The type of a field that holds one text, integer or Boolean."""

    default: str | int | bool = ""
    """The value of a missing field. All values must have its type: `Scalar(0)` takes
    integers."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the value to send for a value of an operation."""
        return self.default if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return the operation's value for a received one. Raises `ShapeError`."""
        if value is None:
            return self.default
        expected_type = type(self.default)
        if expected_type is int:
            value = _whole_number(value)
        _check_type(value, expected_type)
        return value


@dataclass(frozen=True, slots=True)
class TextList:
    """The type of a field that holds a list of texts."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the list to send for a list of an operation."""
        return [] if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return the operation's list for a received one. Raises `ShapeError`."""
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
    """The operation's value for each name that is sent, such as `{"NODE_KIND_DIR":
    True}`.

    The order is that of the enum's numbers from 0, which may be received in place of
    names. The first name is the default of the message.
    """

    @property
    def default_name(self) -> str:
        """The name that a missing field stands for."""
        return next(iter(self.value_of_name))

    def to_wire(self, value: Plain) -> str:
        """Return the name to send for a value; the default's name for an unknown
        value."""
        names = [
            name for name, own_value in self.value_of_name.items() if own_value == value
        ]
        if not names:
            return self.default_name
        # Two names have the same value if one of them is the default: for `is_dir:
        # False`, send the other one, `NODE_KIND_FILE`, and not `NODE_KIND_UNSPECIFIED`.
        return names[-1]

    def from_wire(self, value: Plain) -> str | bool:
        """Return the operation's value for a name or a number. Raises `ShapeError`."""
        names = list(self.value_of_name)
        if value is None:
            return self.value_of_name[self.default_name]
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
    """The type of a field that holds a list of messages, such as the entries of a
    folder."""

    fields: tuple[Field, ...]
    """The fields of each message."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the messages to send for the mappings of an operation."""
        messages: list[Plain] = []
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    messages.append(to_wire(self.fields, item))
        return messages

    def from_wire(self, value: Plain) -> Plain:
        """Return the operation's mappings for received messages. Raises
        `ShapeError`."""
        if value is None:
            return []
        return [from_wire(self.fields, message) for message in _checked_list(value)]


@dataclass(frozen=True, slots=True)
class NodeList:
    """The type of the field `children` in a tree: a list of nodes, which have
    `children` again."""

    name: str
    """The name of this field in the operation."""
    wire: str
    """The name of this field in messages."""
    other_fields: tuple[Field, ...]
    """The other fields of each node, such as its name."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the nodes to send for the mappings of an operation."""
        return self._as_messages().to_wire(value)

    def from_wire(self, value: Plain) -> Plain:
        """Return the operation's mappings for received nodes. Raises `ShapeError`."""
        return self._as_messages().from_wire(value)

    def _as_messages(self) -> MessageList:
        """Return the type of the nodes, with this field again as the type of their
        children."""
        return MessageList((*self.other_fields, Field(self.name, self.wire, self)))


FieldType: TypeAlias = Scalar | TextList | Enum | MessageList | NodeList


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    name: str
    """The name of the parameter or result field in the operation."""
    wire: str
    """The name in messages."""
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
        is_default = value in DEFAULTS
        if not is_default:
            message[field.wire] = value
    return message


def from_wire(fields: Iterable[Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message by the operation's names. Missing fields get their
    defaults.

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
    """How to find out if a write or delete has happened, if its reply was lost: read
    its path."""

    method: str
    """The method that reads the path."""
    content_parameter: str = ""
    """The parameter of a write that holds the file's new content; empty for a
    delete."""

    @property
    def is_of_write(self) -> bool:
        """True for a write, after which the path has the new content. False for a
        delete, after which the path is missing."""
        return bool(self.content_parameter)


@dataclass(frozen=True, slots=True)
class Rpc:
    """How one operation is sent: its method, request and reply."""

    operation: str
    method: str
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    effect_check: EffectCheck | None = None
    """None if there is no way to find out. Then a call whose reply was lost is repeated
    only if it changes nothing."""
    result_field: str = ""
    """The field of the reply that contains the result: `root` in `{"root": {"name":
    "/"}}`. Empty if the reply itself is the result."""

    def request_to_wire(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the request of a call."""
        return to_wire(self.request, arguments)

    def request_from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the arguments of a request. Raises `ShapeError`."""
        return from_wire(self.request, message)

    def reply_to_wire(self, result: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the reply for a result."""
        reply = to_wire(self.reply, result)
        if self.result_field:
            return {self.result_field: reply}
        return reply

    def reply_from_wire(self, message: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result fields of a reply. Raises `ShapeError`."""
        if self.result_field:
            return from_wire(self.reply, message.get(self.result_field, {}))
        return from_wire(self.reply, dict(message))


# Operations declare the names of parameters and result fields, but not their proto3
# types. A name means the same in all operations, so each name has one type. All other
# fields are texts.
_TYPE_OF_FIELD: Final[Mapping[str, FieldType]] = {
    "start_line": Scalar(0),
    "end_line": Scalar(0),
    "level": Scalar(0),
    "limit": Scalar(0),
    "line": Scalar(0),
    "exit_code": Scalar(0),
    "truncated": Scalar(False),
    "writable": Scalar(False),
    "args": TextList(),
    "paths": TextList(),
    "is_dir": Enum({UNSPECIFIED: False, FILE: False, DIRECTORY: True}),
    # What a search looks for:
    "kind": Enum({UNSPECIFIED: "all", FILE: "files", DIRECTORY: "dirs"}),
}
_WIRE_NAME_OF_FIELD: Final = {
    "is_dir": "kind",  # Only replies have it. The parameter `kind` of `find` is only in requests.
    "text": "lineText",  # The text of a line that a search has found
}
"""The names in messages that differ from ours. Others are only in camel case:
`startLine`."""
_EFFECT_CHECKS: Final = {
    "write": EffectCheck("Read", content_parameter="content"),
    "delete": EffectCheck("Stat"),
}


def _field(name: str) -> Field:
    """Return the proto3 form of a parameter or result field that is not a list of
    messages."""
    wire_name = _WIRE_NAME_OF_FIELD.get(name, to_camel(name))
    return Field(name, wire_name, _TYPE_OF_FIELD.get(name, Scalar("")))


def _list_field(name: str, item_fields: tuple[str, ...]) -> Field:
    """Return the proto3 form of a result field with a list of messages, which have
    these fields."""
    wire_name = to_camel(name)
    other_fields = tuple(
        _field(item_field) for item_field in item_fields if item_field != name
    )
    is_tree = (
        name in item_fields
    )  # The field `children` of a tree has nodes with `children`.
    if is_tree:
        return Field(name, wire_name, NodeList(name, wire_name, other_fields))
    return Field(name, wire_name, MessageList(other_fields))


def _rpc(operation: Operation) -> Rpc:
    """Return the proto3 form of an operation."""
    reply = []
    for result_field in operation.fields:
        if result_field.items:
            reply.append(_list_field(result_field.name, result_field.items))
        else:
            reply.append(_field(result_field.name))
    if operation.name == "read":
        reply.append(
            _field("content_type")
        )  # The protocol has this field, but no operation.
    return Rpc(
        operation.name,
        operation.name.capitalize(),
        request=tuple(_field(parameter.name) for parameter in operation.parameters),
        reply=tuple(reply),
        effect_check=_EFFECT_CHECKS.get(operation.name),
        result_field="root" if operation.name == "tree" else "",
    )


RPCS: Final = {operation.name: _rpc(operation) for operation in FILE_OPERATIONS}
"""The proto3 form of each operation, by name."""


# Limits of the initial prompt of a trial.
MAX_LISTED_FILES: Final = 6
"""The most files of one folder in the tree. A larger folder shows its first files and a
count."""
RANKED_CHARS: Final = 7_600
"""The most characters of all documents that match the instruction."""
HELP_CHARS: Final = 400
"""The most characters of one tool's help."""
RECORD_CHARS: Final = 600
"""The most characters of a file that matches the instruction but is not named in it."""
_NAMED_FILES: Final = NamedFiles(
    roots=(
        "/proc",
        "/uploads",
    ),  # The folders of files that an instruction may refer to.
    records="/proc",  # The folder of records.
    search="search",  # The operation that finds them.
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
    reads_side_by_side=True,  # Calls that only read may be made at the same time.
)
