"""Declares the runtimes of the platform: their operations, tools, and the wire form of each operation.

Another runtime of the platform is another `Runtime`. The client turns parameters into a request and a reply into result
fields; the server does the reverse with the same fields. proto3 JSON omits defaults, so absence is read as the default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from pydantic.alias_generators import to_camel

from benchmarks.shop.declarations import shop_surface
from sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    Effect,
    NamedFiles,
    OpeningCall,
    Operation,
    Parameter,
    Plain,
    ResultField,
    Surface,
)

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
    message = {each.wire: each.to_wire(values.get(each.name)) for each in fields}
    return {name: value for name, value in message.items() if value not in ("", 0, False, [], UNSPECIFIED)}


def from_wire(fields: Iterable[Field], message: Plain) -> dict[str, Plain]:
    """Return the values of a message, each with its default if it is absent. Raises `ShapeError`."""
    if not isinstance(message, dict):
        msg = f"{message!r} is not a message"
        raise ShapeError(msg)
    values: dict[str, Plain] = {}
    for each in fields:
        try:
            values[each.name] = each.from_wire(message.get(each.wire))
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
    unless: tuple[str, ...] = ()
    """Parameters with which a call's effect cannot be looked for."""


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


@dataclass(frozen=True, slots=True)
class Clock:
    """The call whose output tells the environment's time, as an ISO timestamp in one field."""

    operation: str
    arguments: Mapping[str, Plain]
    field: str


@dataclass(frozen=True, slots=True)
class Runtime:
    """One runtime of the platform."""

    service: str
    """Package and service."""
    surface: Surface
    rpcs: tuple[Rpc, ...]
    clock: Clock | None = None
    rule_packs: tuple[str, ...] = ()
    """Names of the gate rule packs that a run in it switches on."""

    def rpc(self, operation: str) -> Rpc | None:
        """Return the wire form of `operation`, or None if this runtime has no such operation."""
        return next((rpc for rpc in self.rpcs if rpc.operation == operation), None)


_DEFAULTS: Final[Mapping[str, Plain]] = {
    **dict.fromkeys(("start_line", "end_line", "level", "limit", "line", "exit_code", "unix_time"), 0),
    **dict.fromkeys(("truncated", "writable", "is_dir"), False),
    "args": [],
    "paths": [],
}
"""The fields of every runtime that are not text."""
_Names: TypeAlias = dict[str, str | bool]


@dataclass(frozen=True, slots=True)
class _Wording:
    """The names of one runtime that differ from the declared ones. Its other names are the same, in camel case."""

    enums: Mapping[str, _Names]
    """See `Field.names`."""
    looks: Mapping[str, Look]
    names: Mapping[str, str] = field(default_factory=dict)
    """The methods and fields that have another name, by ours, or by `OPERATION.FIELD`. Fields with an empty name are
    not sent."""
    further: Mapping[str, str] = field(default_factory=dict)
    """A field that a reply has beyond the declared ones, by operation."""

    def rpc(self, operation: Operation) -> Rpc:
        """Return the wire form of a file operation: by the method of its name."""
        name = operation.name
        brought = {known.name: known.items for known in operation.fields}
        brought |= {self.further[name]: ()} if name in self.further else {}
        return Rpc(
            name,
            self.names.get(name, name.capitalize()),
            self._fields(name, {parameter.name: () for parameter in operation.parameters}),
            self._fields(name, brought),
            look=self.looks.get(name),
            reply_in="root" if name == "tree" else "",
        )

    def _fields(self, operation: str, known: Mapping[str, tuple[str, ...]]) -> tuple[Field, ...]:
        """Return the wire form of parameters or a result's fields, each given with the fields of its elements."""
        fields: list[Field] = []
        for name, items in known.items():
            wire = self.names.get(f"{operation}.{name}", self.names.get(name, to_camel(name)))
            below = self._fields(f"{operation}.{name}", {item: () for item in items if item != name})
            default = [] if items else _DEFAULTS.get(name, "")
            if wire:
                fields.append(Field(name, wire, default, self.enums.get(name), below, is_nested=name in items))
        return tuple(fields)


_ECOM_WORDING: Final = _Wording(
    enums={
        "is_dir": {UNSPECIFIED: False, FILE: False, DIRECTORY: True},
        "kind": {UNSPECIFIED: "all", FILE: "files", DIRECTORY: "dirs"},
    },
    looks={"write": Look("Read", holds="content"), "delete": Look("Stat")},
    names={"is_dir": "kind", "text": "lineText"},
    further={"read": "content_type"},
)

_NAMED_FILES: Final = NamedFiles(
    ("/proc", "/uploads"), "/proc", search="search", chars=6_000, each_chars=1_200, sample_chars=400
)

ECOM: Final = Runtime(
    service="bitgn.vm.ecom.EcomRuntime",
    surface=replace(shop_surface(_NAMED_FILES, listing=12, fitting_chars=40_000), reads_side_by_side=True),
    rpcs=tuple(map(_ECOM_WORDING.rpc, FILE_OPERATIONS)),
    clock=Clock("exec", {"path": "/bin/date"}, "stdout"),
    rule_packs=("ecom",),
)

_FILES: Final = {operation.name: operation for operation in FILE_OPERATIONS}
_LINES: Final = (Parameter("start_line", "int", 0), Parameter("end_line", "int", 0))
_PCM_OPERATIONS: Final = (
    _FILES["read"]._replace(fields=(ResultField("path"), ResultField("content"))),
    _FILES["list"],
    _FILES["tree"],
    _FILES["find"]._replace(fields=(ResultField("paths"),)),
    _FILES["search"]._replace(fields=(ResultField("matches", ("path", "line", "text")),)),
    Operation(
        "write",
        (Parameter("path", "str"), Parameter("content", "str"), *_LINES),
        (ResultField("path"),),
        "replace a file's text, or its lines start_line to end_line (counted from 1, 0 is open), or make the file",
        Effect.WRITES,
    ),
    _FILES["delete"],
    Operation("mkdir", (Parameter("path", "str"),), (ResultField("path"),), "make a directory", Effect.WRITES),
    Operation(
        "move",
        (Parameter("path", "str"), Parameter("to", "str")),
        (),
        "give a file another path; among the changes it is a delete at path and a write at to",
        Effect.MOVES,
        target="to",
    ),
    Operation("context", (), (ResultField("unix_time"), ResultField("time")), "the time of the workspace"),
)
_PCM_WORDING: Final = _Wording(
    enums={"kind": {"TYPE_ALL": "all", "TYPE_FILES": "files", "TYPE_DIRS": "dirs"}},
    looks={
        "write": Look("Read", holds="content", unless=tuple(parameter.name for parameter in _LINES)),
        "delete": Look("Read"),
        "move": Look("Read"),
    },
    names={
        "mkdir": "MkDir",
        "text": "lineText",
        "list.path": "name",
        "list.entries.path": "",
        "find.kind": "type",
        "find.paths": "items",
        "move.path": "fromName",
        "move.to": "toName",
    },
)

PCM: Final = Runtime(
    service="bitgn.vm.pcm.PcmRuntime",
    surface=Surface(
        operations=_PCM_OPERATIONS,
        rules_document="/AGENTS.MD",
        opening=(
            OpeningCall("tree", {"root": "/", "level": 8}, longest_listing=12),
            OpeningCall("context"),
            OpeningCall("read", {}, EachOf("find", {"name": "AGENTS.[Mm][Dd]", "kind": "files"}, "paths")),
        ),
        reads_side_by_side=True,
    ),
    rpcs=tuple(map(_PCM_WORDING.rpc, _PCM_OPERATIONS)),
    clock=Clock("context", {}, "time"),
)

RUNTIMES: Final = {"ecom": ECOM, "pcm": PCM}
"""Every runtime that a trial can have, by the name that a setting gives it."""
