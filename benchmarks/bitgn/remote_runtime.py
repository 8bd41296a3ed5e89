"""The runtime of a remote trial: its tool schema, and how its operations travel as proto3 JSON.

The client turns the parameters of an operation into a request, and a reply into result fields; the
server does the reverse with the same `Field` objects. For example the result

    {"entries": [{"name": "a.md", "path": "/a.md", "is_dir": False}]}

travels as

    {"entries": [{"name": "a.md", "path": "/a.md", "kind": "NODE_KIND_FILE"}]}

proto3 JSON leaves default values out, so a missing field has its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from pydantic.alias_generators import to_camel

from controlplane.benchmarks.shop.declarations import shop_tool_schema
from controlplane.sandbox.interface import FILE_OPERATIONS, NamedFiles, Operation, Plain

SERVICE: Final = "bitgn.vm.ecom.EcomRuntime"
RULE_SETS: Final = ("ecom",)
"""The rule sets that a run in this runtime switches on."""
FILE: Final = "NODE_KIND_FILE"
DIRECTORY: Final = "NODE_KIND_DIR"
UNSPECIFIED: Final = "NODE_KIND_UNSPECIFIED"
MAX_INT64_DIGITS: Final = 19
"""proto3 JSON sends 64-bit integers as text; none has more digits."""


class ShapeError(ValueError):
    """A message does not fit the platform's description of it."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: its name in our operation, its name on the wire, and its type."""

    name: str
    wire: str
    default: Plain = ""
    """The value if the field is missing. Its type is the field's type: text, whole number, Boolean,
    or list. A list holds strings, or messages if `rows` is set."""
    names: dict[str, str | bool] | None = None
    """For an enum: our value for each name on the wire, such as `{"NODE_KIND_DIR": True}`, in the
    order of the enum's numbers, which may be sent instead of names. The first is the default."""
    rows: tuple[Field, ...] = ()
    """The fields of each message in a list of messages."""
    is_nested: bool = False
    """True if each of these messages has this field as well, as the nodes of a tree do."""

    def to_wire(self, value: Plain) -> Plain:
        """Return the value to send for one of ours."""
        if self.names is not None:
            return _enum_name(self.names, value)
        if self.rows:
            messages: list[Plain] = []
            if isinstance(value, list):
                for row in value:
                    if isinstance(row, dict):
                        messages.append(to_wire(self._row_fields, row))
            return messages
        if value is None:
            return self.default
        return value

    def from_wire(self, value: Plain) -> Plain:
        """Return our value for one that was sent. Raises `ShapeError`."""
        if self.names is not None:
            return _enum_value(self.names, value)
        if value is None:
            return [] if isinstance(self.default, list) else self.default
        if type(self.default) is int:
            value = _whole_number(value)
        if type(value) is not type(self.default):
            msg = f"{value!r} is not of the type {type(self.default).__name__}"
            raise ShapeError(msg)
        if not isinstance(value, list):
            return value

        if self.rows:
            return [from_wire(self._row_fields, row) for row in value]
        for item in value:
            if not isinstance(item, str):
                msg = f"{value!r} is not a list of strings"
                raise ShapeError(msg)
        return value

    @property
    def _row_fields(self) -> tuple[Field, ...]:
        if self.is_nested:
            return (*self.rows, self)
        return self.rows


def _enum_name(names: Mapping[str, str | bool], value: Plain) -> str:
    """Return the name to send for our value of an enum; that of the default for an unknown value.

    If several names mean the same value, the last one is sent: `False` is sent as
    `NODE_KIND_FILE`, not as `NODE_KIND_UNSPECIFIED`.
    """
    name_to_send = next(iter(names))  # The first name is that of the default.
    for name, own_value in names.items():
        if own_value == value:
            name_to_send = name
    return name_to_send


def _enum_value(names: Mapping[str, str | bool], value: Plain) -> str | bool:
    """Return our value of an enum, from its name or its number. Raises `ShapeError`."""
    names_by_number = list(names)
    if value is None:
        return names[names_by_number[0]]
    if isinstance(value, str) and value in names:
        return names[value]
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number:
        for number, name in enumerate(names_by_number):
            if number == value:
                return names[name]
    msg = f"{value!r} is not one of {', '.join(names_by_number)}"
    raise ShapeError(msg)


def _whole_number(value: Plain) -> Plain:
    """Return the integer that `value` means: `7`, `7.0` and `"7"` -> `7`. Return any other value
    unchanged."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdecimal() and len(digits) <= MAX_INT64_DIGITS:
            return int(value)
    return value


def to_wire(fields: Iterable[Field], values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a message in proto3 JSON, without the fields that have their default value."""
    message: dict[str, Plain] = {}
    for field in fields:
        value = field.to_wire(values.get(field.name))
        is_default = value in ("", 0, False, [], UNSPECIFIED)
        if not is_default:
            message[field.wire] = value
    return message


def from_wire(fields: Iterable[Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message by our names, with the defaults of missing fields.

    Raises `ShapeError` with the name of the field that does not fit.
    """
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


@dataclass(frozen=True, slots=True)
class EffectCheck:
    """A read that tells whether a change happened whose reply was lost. It reads the same path."""

    method: str
    content_parameter: str = ""
    """The parameter of the change whose value is then the file's content; empty if the change
    removes the path."""


@dataclass(frozen=True, slots=True)
class Rpc:
    """How one operation travels: its method, its request and its reply."""

    operation: str
    method: str
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    effect_check: EffectCheck | None = None
    """How to find out whether a change happened if its reply was lost; the change is made again
    only if it did not. None for other calls: they are made again only if they read."""
    reply_in: str = ""
    """The field of the reply that holds the result's fields; empty if the reply itself does."""

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


# The operations' declarations name parameters and result fields, but not their types on the wire.
_INTEGERS: Final = ("start_line", "end_line", "level", "limit", "line", "exit_code")
_BOOLEANS: Final = ("truncated", "writable")
_STRING_LISTS: Final = ("args", "paths")
_NODE_KIND: Final[dict[str, str | bool]] = {UNSPECIFIED: False, FILE: False, DIRECTORY: True}
_SEARCHED_KIND: Final[dict[str, str | bool]] = {
    UNSPECIFIED: "all",
    FILE: "files",
    DIRECTORY: "dirs",
}
_EFFECT_CHECKS: Final = {
    "write": EffectCheck("Read", content_parameter="content"),
    "delete": EffectCheck("Stat"),
}


def _field(name: str, item_fields: tuple[str, ...] = ()) -> Field:
    """Return the wire form of a parameter or result field.

    `item_fields` are the fields of its items, if it is a list of messages.
    """
    match name:
        case "is_dir":
            return Field(name, "kind", names=_NODE_KIND)
        case "kind":
            return Field(name, "kind", names=_SEARCHED_KIND)
        case "text":
            return Field(name, "lineText")
    wire_name = to_camel(name)
    if item_fields:
        # An item of `children` has `children` itself.
        is_nested = name in item_fields
        rows = tuple(_field(item_field) for item_field in item_fields if item_field != name)
        return Field(name, wire_name, [], rows=rows, is_nested=is_nested)
    if name in _INTEGERS:
        return Field(name, wire_name, 0)
    if name in _BOOLEANS:
        return Field(name, wire_name, False)
    if name in _STRING_LISTS:
        return Field(name, wire_name, [])
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
"""The wire form of each operation, by its name."""
_NAMED_FILES: Final = NamedFiles(
    ("/proc", "/uploads"), "/proc", search="search", each_chars=600, follows_records=False
)
TOOL_SCHEMA: Final = replace(
    shop_tool_schema(_NAMED_FILES, listing=6, ranked_chars=8_100, help_chars=400),
    reads_side_by_side=True,
)
