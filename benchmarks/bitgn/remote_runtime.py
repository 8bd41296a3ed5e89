"""The runtime of a remote trial: its tool schema, and the wire form of its operations.

The client turns parameters into a request and a reply into result fields; the server does the reverse with the same
fields. proto3 JSON omits defaults, so absence is read as the default.
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
            return next(
                (wire for wire, ours in reversed(self.names.items()) if ours == value),
                next(iter(self.names)),
            )
        if self.rows:
            rows = value if isinstance(value, list) else []
            return [to_wire(self._below, row) for row in rows if isinstance(row, dict)]
        return self.default if value is None else value

    def from_wire(self, value: Plain) -> Plain:
        """Return a sent value as an operation's value. Raises `ShapeError`."""
        if self.names is not None:
            if isinstance(value, str) and value in self.names:
                return self.names[value]
            names = [*self.names]
            number = 0 if value is None else value
            name = names[number] if type(number) is int and 0 <= number < len(names) else value
            if not isinstance(name, str) or name not in self.names:
                msg = f"{value!r} is not one of {', '.join(names)}"
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
    digits = value.removeprefix("-") if isinstance(value, str) else ""
    return (
        int(str(value)) if digits.isascii() and digits.isdecimal() and len(digits) <= 19 else value
    )


def to_wire(fields: Iterable[Field], values: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return a message in proto3 JSON; values that no field names are left out, and so are defaults."""
    message = {each.wire: each.to_wire(values.get(each.name)) for each in fields}
    return {
        name: value
        for name, value in message.items()
        if value not in ("", 0, False, [], UNSPECIFIED)
    }


def from_wire(fields: Iterable[Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message, each with its default if it is absent. Raises `ShapeError`."""
    if not isinstance(message, dict):
        msg = f"{message!r} is not a message"
        raise ShapeError(msg)
    values: dict[str, Plain] = {}
    for each in fields:
        value = message.get(each.wire)
        if each.names is None and type(value) is type(each.default) and not isinstance(value, list):
            values[each.name] = value  # most values
            continue
        if each.names is not None and isinstance(value, str) and value in each.names:
            values[each.name] = each.names[value]
            continue
        try:
            values[each.name] = each.from_wire(value)
        except ShapeError as error:
            msg = f"{each.wire}: {error}"
            raise ShapeError(msg) from None
    return values


@dataclass(frozen=True, slots=True)
class Look:
    """A call that finds out whether a change whose reply was lost has happened: it reads the same path."""

    method: str
    holds: str = ""
    """The parameter whose value the read then shows; empty if the path is then missing."""


@dataclass(frozen=True, slots=True)
class Rpc:
    """The wire form of one operation."""

    operation: str
    method: str
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    look: Look | None = None
    """Set for a change that can be looked for: a change in doubt is made again only if it did not happen. Any other
    call in doubt is made again only if it reads."""
    reply_in: str = ""
    """The field of the reply that holds the result's fields; empty if the reply itself does."""

    def request_to_wire(self, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the request of a call."""
        return to_wire(self.request, arguments)

    def request_from_wire(self, message: Plain) -> dict[str, Plain]:
        """Return the arguments of a request. Raises `ShapeError`."""
        return from_wire(self.request, message)

    def reply_to_wire(self, result: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the reply that a result makes."""
        reply = to_wire(self.reply, result)
        return {self.reply_in: reply} if self.reply_in else reply

    def reply_from_wire(self, message: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result fields of a reply. Raises `ShapeError`."""
        inner = message.get(self.reply_in, {}) if self.reply_in else dict(message)
        return from_wire(self.reply, inner)


_DEFAULTS: Final[Mapping[str, Plain]] = {
    **dict.fromkeys(("start_line", "end_line", "level", "limit", "line", "exit_code"), 0),
    **dict.fromkeys(("truncated", "writable", "is_dir"), False),
    "args": [],
    "paths": [],
}
"""The fields that are not text."""
_ENUMS: Final[Mapping[str, dict[str, str | bool]]] = {
    "is_dir": {UNSPECIFIED: False, FILE: False, DIRECTORY: True},
    "kind": {UNSPECIFIED: "all", FILE: "files", DIRECTORY: "dirs"},
}
_WIRE_NAMES: Final = {"is_dir": "kind", "text": "lineText"}
"""Names on the wire that are not the declared ones in camel case."""
_LOOKS: Final = {"write": Look("Read", holds="content"), "delete": Look("Stat")}


def _fields(names: Mapping[str, tuple[str, ...]]) -> tuple[Field, ...]:
    """Return the wire form of parameters or a result's fields, each given with the fields of its elements."""
    return tuple(
        Field(
            name,
            _WIRE_NAMES.get(name, to_camel(name)),
            [] if items else _DEFAULTS.get(name, ""),
            _ENUMS.get(name),
            _fields({item: () for item in items if item != name}),
            is_nested=name in items,
        )
        for name, items in names.items()
    )


def _rpc(operation: Operation) -> Rpc:
    reply = {field.name: field.items for field in operation.fields}
    if operation.name == "read":
        reply["content_type"] = ()
    return Rpc(
        operation.name,
        operation.name.capitalize(),
        _fields({parameter.name: () for parameter in operation.parameters}),
        _fields(reply),
        look=_LOOKS.get(operation.name),
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
