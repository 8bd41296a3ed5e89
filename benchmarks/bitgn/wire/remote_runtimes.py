"""The runtimes of the platform, declared: their operations, tools, and how each operation travels.

Another runtime of the platform is another `Runtime`; nothing else needs to know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.bitgn.wire.value_shapes import (
    DIRECTORY,
    FILE,
    UNSPECIFIED,
    Choice,
    Field,
    Rows,
    Scalar,
    Texts,
    from_wire,
    to_wire,
)
from sandbox.interface import FILE_OPERATIONS, EachOf, Executable, ExecutableKind, OpeningCall, Plain, Surface


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


_TEXT: Final = Scalar("")
_NUMBER: Final = Scalar(0)
_FLAG: Final = Scalar(False)
_IS_DIR: Final = Choice({FILE: False, DIRECTORY: True, UNSPECIFIED: False})
_KIND: Final = Choice({UNSPECIFIED: "all", FILE: "files", DIRECTORY: "dirs"})


def _texts(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, name, _TEXT) for name in names)


_PATH: Final = _texts("path")
_ROOT: Final = _texts("root")
_CONTENT_TYPE: Final = Field("content_type", "contentType", _TEXT)
_KIND_OF_NODE: Final = Field("is_dir", "kind", _IS_DIR)
_TRUNCATED: Final = Field("truncated", "truncated", _FLAG)
_LIMIT: Final = Field("limit", "limit", _NUMBER)
_NODES: Final = Rows((*_texts("name"), _KIND_OF_NODE), nested="children")

_ECOM_RPCS: Final = (
    Rpc(
        "read",
        "Read",
        (*_PATH, Field("start_line", "startLine", _NUMBER), Field("end_line", "endLine", _NUMBER)),
        (*_texts("path", "content", "sha256"), _TRUNCATED, _CONTENT_TYPE),
    ),
    Rpc("list", "List", _PATH, (Field("entries", "entries", Rows((*_texts("name", "path"), _KIND_OF_NODE))),)),
    Rpc(
        "tree",
        "Tree",
        (*_ROOT, Field("level", "level", _NUMBER)),
        (*_texts("name"), _KIND_OF_NODE, Field("children", "children", _NODES)),
        reply_in="root",
    ),
    Rpc(
        "find",
        "Find",
        (*_texts("name", "root"), Field("kind", "kind", _KIND), _LIMIT),
        (Field("paths", "paths", Texts()), _TRUNCATED),
    ),
    Rpc(
        "search",
        "Search",
        (*_texts("pattern", "root"), _LIMIT),
        (
            Field(
                "matches",
                "matches",
                Rows((*_PATH, Field("line", "line", _NUMBER), Field("text", "lineText", _TEXT))),
            ),
            _TRUNCATED,
        ),
    ),
    Rpc("stat", "Stat", _PATH, (*_PATH, _KIND_OF_NODE, _CONTENT_TYPE, Field("writable", "writable", _FLAG))),
    Rpc(
        "write",
        "Write",
        (*_texts("path", "content"), Field("if_match_sha256", "ifMatchSha256", _TEXT)),
        _PATH,
        look=Look("Read", holds="content"),
    ),
    Rpc("delete", "Delete", _PATH, (), look=Look("Stat")),
    Rpc(
        "exec",
        "Exec",
        (*_PATH, Field("args", "args", Texts()), *_texts("stdin")),
        (*_texts("stdout", "stderr"), Field("exit_code", "exitCode", _NUMBER)),
        runs_tools=True,
    ),
)

_READS: Final = ExecutableKind.READS
_CHANGES: Final = ExecutableKind.CHANGES

_EXECUTABLES: Final = (
    Executable("/bin/availability", _READS, "same-day stock of products at a store"),
    Executable("/bin/cat", _READS, "the text of files"),
    Executable("/bin/checkout", _CHANGES, "check a basket out"),
    Executable("/bin/date", _READS, "the current time"),
    Executable("/bin/discount", _CHANGES, "give a basket a discount"),
    Executable("/bin/id", _READS, "who the current user is, and in which roles"),
    Executable("/bin/jq", _READS, "a field of a JSON file"),
    Executable("/bin/payments", _CHANGES, "restart the verification of a payment"),
    Executable("/bin/refund", _CHANGES, "approve or close a return"),
    Executable("/bin/sql", _READS, "a query of the database"),
)
_EVERY_DOCUMENT: Final = EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0}, "paths")

ECOM: Final = Runtime(
    service="bitgn.vm.ecom.EcomRuntime",
    surface=Surface(
        operations=FILE_OPERATIONS,
        executables=_EXECUTABLES,
        rules_document="/AGENTS.MD",
        opening=(
            OpeningCall("tree", {"root": "/", "level": 3}),
            OpeningCall("read", {"path": "/AGENTS.MD"}),
            OpeningCall("read", {}, _EVERY_DOCUMENT),
            *(OpeningCall("exec", {"path": tool.path, "args": ["--help"]}) for tool in _EXECUTABLES),
        ),
        reads_side_by_side=True,
    ),
    rpcs=_ECOM_RPCS,
    clock=Clock("exec", {"path": "/bin/date"}, "stdout"),
    rule_packs=("ecom",),
)

RUNTIMES: Final = {"ecom": ECOM}
"""Every runtime that a trial can have, by the name that a setting gives it."""
