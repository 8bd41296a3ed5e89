"""What an environment lets a script call, declared as data.

`harness`, the prompt's reference of it and the evidence that a call leaves are all derived from one `Surface`, so that
an environment with other operations needs no change anywhere else. This module declares; it calls nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""What travels between script and parent: JSON's own types."""


NOT_FOUND: Final = "not_found"
INVALID_ARGUMENT: Final = "invalid_argument"
FAILED_PRECONDITION: Final = "failed_precondition"
PERMISSION_DENIED: Final = "permission_denied"
RESOURCE_EXHAUSTED: Final = "resource_exhausted"
INTERNAL: Final = "internal"
ALREADY_EXISTS: Final = "already_exists"
UNIMPLEMENTED: Final = "unimplemented"
UNAUTHENTICATED: Final = "unauthenticated"
UNAVAILABLE: Final = "unavailable"
DEADLINE_EXCEEDED: Final = "deadline_exceeded"
CANCELED: Final = "canceled"
UNKNOWN: Final = "unknown"


class Effect(StrEnum):
    """What a call does to the evidence at the path that its subject parameter names."""

    READS = "reads"
    WRITES = "writes"
    DELETES = "deletes"
    EXECUTES = "executes"
    LISTS = "lists"
    NONE = "none"


class ExecutableKind(StrEnum):
    """What running an executable does: `reads` leaves the world as it was, `changes` alters it, `unknown` may."""

    READS = "reads"
    CHANGES = "changes"
    UNKNOWN = "unknown"


class Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = Required()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation, passed by position or by name."""

    name: str
    type: str
    """`str`, `int`, `bool` or `list[str]`."""
    default: Plain | Required = REQUIRED


@dataclass(frozen=True, slots=True)
class ResultField:
    """One attribute of an operation's result; `items` names the attributes of each element of a list."""

    name: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One call that a script may make as `harness.<name>(...)`."""

    name: str
    parameters: tuple[Parameter, ...]
    fields: tuple[ResultField, ...]
    summary: str
    """One line for the prompt, without a full stop."""
    effect: Effect = Effect.NONE
    subject: str = "path"
    """The parameter that holds the path the effect is about."""
    json_field: str = ""
    """Where set, the result has `.json()`, which parses this field."""
    drawn_as_tree: bool = False
    """The result prints as an indented tree of `.name` and `.children`."""


@dataclass(frozen=True, slots=True)
class Executable:
    """A tool of the environment, run through the operation whose effect is `executes`."""

    path: str
    kind: ExecutableKind = ExecutableKind.UNKNOWN
    summary: str = ""


@dataclass(frozen=True, slots=True)
class EachOf:
    """Repeat an opening call once for every value that another call lists."""

    operation: str
    arguments: Mapping[str, Plain]
    field: str
    """The result field that lists the values; an element that is a mapping counts by its `path`."""


@dataclass(frozen=True, slots=True)
class OpeningCall:
    """One call whose result turn one shows. With `each_of`, one call per listed value, put into `subject`."""

    operation: str
    arguments: Mapping[str, Plain] = field(default_factory=dict)
    each_of: EachOf | None = None


@dataclass(frozen=True, slots=True)
class Surface:
    """Everything an environment declares about itself."""

    operations: tuple[Operation, ...]
    executables: tuple[Executable, ...] = ()
    rules_document: str = ""
    """The path of the document that holds the workspace's rules; empty where there is none."""
    opening: tuple[OpeningCall, ...] = ()

    def operation(self, name: str) -> Operation | None:
        """Return the operation called `name`, or None where the environment declares none."""
        return next((each for each in self.operations if each.name == name), None)

    def executable_kind(self, path: str) -> ExecutableKind:
        """Return the declared kind of the tool at `path`; `unknown` for one that is not declared."""
        return next((each.kind for each in self.executables if each.path == path), ExecutableKind.UNKNOWN)

    def may_change(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Say whether a call may alter the world: all but what is declared to read, and runs of tools that only do."""
        declared = self.operation(operation)
        if declared is None:
            return True
        if declared.effect is Effect.EXECUTES:
            return self.executable_kind(str(arguments.get(declared.subject))) is not ExecutableKind.READS
        return declared.effect in (Effect.WRITES, Effect.DELETES)


class CallError(Exception):
    """A call of the environment failed.

    `code` is a Connect code, as those named above. A script sees `not_found` as
    `FileNotFoundError` and every other code as `HarnessError` with `.code`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[CallError], tuple[str, str]]:
        return CallError, (self.code, self.message)


TOOLING_FAILURES: Final = frozenset(
    {
        "unavailable",
        "deadline_exceeded",
        "internal",
        "unknown",
        "resource_exhausted",
        "aborted",
        "data_loss",
        "canceled",
    }
)
"""Codes that say the environment failed, as against a request that was wrong."""
