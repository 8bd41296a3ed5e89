"""The runtimes of the platform, declared: their operations, tools, and how each operation travels.

Another runtime of the platform is another `Runtime`; nothing else needs to know it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic.alias_generators import to_camel

from benchmarks.bitgn.wire.value_shapes import (
    DIRECTORY,
    FILE,
    UNSPECIFIED,
    Choice,
    Field,
    Rows,
    Scalar,
    Shape,
    Texts,
    from_wire,
    to_wire,
)
from benchmarks.shop.declarations import SHOP_CHECKS, SHOP_TOOLS
from sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    Effect,
    Executable,
    ExecutableKind,
    FileArguments,
    NamedFiles,
    OpeningCall,
    Operation,
    Plain,
    Surface,
)


@dataclass(frozen=True, slots=True)
class Look:
    """How to find out whether a change whose reply was lost happened: a call that reads the same path."""

    method: str
    holds: str = ""
    """The parameter whose value the read then shows; empty if the path is then missing."""


@dataclass(frozen=True, slots=True)
class Rpc:
    """How one operation travels."""

    operation: str
    method: str
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    look: Look | None = None
    """Set for a change that can be looked for; a call in doubt is then made again only if it did not happen."""
    runs_tools: bool = False
    """Whether the declared kind of a tool decides; a call in doubt is then made again only for one that reads."""
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
        """Return how `operation` travels, or None if this runtime has no such operation."""
        return next((each for each in self.rpcs if each.operation == operation), None)


_KIND_OF_NODE: Final = Choice({FILE: False, DIRECTORY: True, UNSPECIFIED: False})
_KIND_WANTED: Final = Choice({UNSPECIFIED: "all", FILE: "files", DIRECTORY: "dirs"})
_WIRE_NAMES: Final = {"is_dir": "kind", "text": "lineText"}
"""The fields that have another name on the wire; the others have the same, in camel case."""
_SHAPES: Final[Mapping[str, Shape]] = {
    **dict.fromkeys(("start_line", "end_line", "level", "limit", "line", "exit_code"), Scalar(0)),
    **dict.fromkeys(("truncated", "writable"), Scalar(False)),
    **dict.fromkeys(("args", "paths"), Texts()),
    "is_dir": _KIND_OF_NODE,
    "kind": _KIND_WANTED,
}
"""The fields that are no text."""


def _field(name: str, items: Sequence[str] = ()) -> Field:
    """Return how a parameter or a result's field travels; `items` names the fields of each of its elements."""
    rows = Rows(tuple(_field(each) for each in items if each != name), nested=name if name in items else "")
    return Field(name, _WIRE_NAMES.get(name, to_camel(name)), rows if items else _SHAPES.get(name, Scalar("")))


def _rpc(operation: Operation) -> Rpc:
    """Return how a file operation travels: by the method of its name."""
    name = operation.name
    brought = {each.name: each.items for each in operation.fields} | ({"content_type": ()} if name == "read" else {})
    return Rpc(
        name,
        name.capitalize(),
        tuple(_field(each.name) for each in operation.parameters),
        tuple(_field(each, items) for each, items in brought.items()),
        look=_LOOKS.get(name),
        runs_tools=operation.effect is Effect.EXECUTES,
        reply_in="root" if name == "tree" else "",
    )


_LOOKS: Final = {"write": Look("Read", holds="content"), "delete": Look("Stat")}

_READS: Final = ExecutableKind.READS
_CHANGES: Final = ExecutableKind.CHANGES

_EXECUTABLES: Final = (
    Executable("/bin/availability", _READS, "same-day stock of products at a store", FileArguments(count=1)),
    Executable("/bin/cat", _READS, "the text of files", FileArguments(options=("-n", "--number"))),
    Executable("/bin/checkout", _CHANGES, "check a basket out"),
    Executable("/bin/date", _READS, "the current time"),
    Executable("/bin/discount", _CHANGES, "give a basket a discount"),
    Executable("/bin/id", _READS, "who the current user is, and in which roles"),
    Executable("/bin/jq", _READS, "a field of a JSON file", FileArguments(first=1, options=("-r", "--raw-output"))),
    Executable("/bin/payments", _CHANGES, "restart the verification of a payment"),
    Executable("/bin/refund", _CHANGES, "approve or close a return"),
    Executable("/bin/sql", _READS, "a query of the database"),
)
_EVERY_DOCUMENT: Final = EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0}, "paths")

ECOM: Final = Runtime(
    service="bitgn.vm.ecom.EcomRuntime",
    surface=Surface(
        operations=(*FILE_OPERATIONS, *SHOP_TOOLS),
        checks=SHOP_CHECKS,
        executables=_EXECUTABLES,
        rules_document="/AGENTS.MD",
        opening=(
            OpeningCall("tree", {"root": "/", "level": 8}, longest_listing=12),
            OpeningCall("exec", {"path": "/bin/id"}),
            OpeningCall("exec", {"path": "/bin/date"}),
            OpeningCall("read", {"path": "/AGENTS.MD"}),
            OpeningCall("read", {"path": "/docs/security.md"}),
            OpeningCall("read", {}, _EVERY_DOCUMENT, fitting_chars=40_000),
            *(OpeningCall("exec", {"path": tool.path, "args": ["--help"]}) for tool in _EXECUTABLES),
        ),
        reads_side_by_side=True,
        named_files=NamedFiles(
            ("/proc", "/uploads"), "/proc", search="search", chars=6_000, each_chars=1_200, sample_chars=400
        ),
    ),
    rpcs=tuple(map(_rpc, FILE_OPERATIONS)),
    clock=Clock("exec", {"path": "/bin/date"}, "stdout"),
    rule_packs=("ecom",),
)

RUNTIMES: Final = {"ecom": ECOM}
"""Every runtime that a trial can have, by the name that a setting gives it."""
