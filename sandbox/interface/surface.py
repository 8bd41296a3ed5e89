"""What an environment offers, declared as data.

`harness`, the prompt's reference of it and the evidence that a call leaves are all derived from one `Surface`, so that
an environment with other operations needs no change anywhere else. This module declares; it calls nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sandbox.interface.opening_calls import NamedFiles, OpeningCall
from sandbox.interface.operations import Effect, Operation, Plain


class ExecutableKind(StrEnum):
    """What running an executable does: `reads` leaves the world as it was, `changes` alters it, `unknown` may."""

    READS = "reads"
    CHANGES = "changes"
    UNKNOWN = "unknown"


class GivenArguments(NamedTuple):
    """The arguments of one run, without options, apart by what they are."""

    before: tuple[str, ...]
    files: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileArguments:
    """Which arguments of a tool name files that it opens; `-` among them is stdin."""

    first: int = 0
    """How many arguments stand before them: a filter, for one. Options are not counted."""
    count: int | None = None
    """How many there are at most; None: all that follow. What stands behind them is looked up in them."""
    options: tuple[str, ...] = ()
    """Options without a value of their own that change neither which files are opened nor which words are printed."""

    def split(self, words: Sequence[str]) -> GivenArguments | None:
        """Return the arguments apart, or None if an option among them is not declared."""
        options = [each for each in words if each.startswith("-") and each != "-"]
        if any(each not in self.options for each in options):
            return None
        rest = tuple(each for each in words if each not in options)
        end = len(rest) if self.count is None else self.first + self.count
        return GivenArguments(rest[: self.first], rest[self.first : end], rest[end:])


@dataclass(frozen=True, slots=True)
class Executable:
    """A tool of the environment, run through the operation whose effect is `executes`."""

    path: str
    kind: ExecutableKind = ExecutableKind.UNKNOWN
    summary: str = ""
    files: FileArguments | None = None
    """The files that it reads; None: a run makes nothing citable but the tool itself, whatever it is given."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Everything an environment declares about itself."""

    operations: tuple[Operation, ...]
    executables: tuple[Executable, ...] = ()
    rules_document: str = ""
    """The path of the document that holds the workspace's rules; empty if there is none."""
    opening: tuple[OpeningCall, ...] = ()
    named_files: NamedFiles | None = None
    """The files that turn one shows because of their names; None: none."""
    checks: tuple[Operation, ...] = ()
    """Operations with `finds` that a solver's own stages ask for; neither scripts nor models are offered them."""
    reads_side_by_side: bool = False
    """Calls that only read may be made from several threads at once; turn one's then are."""

    def operation(self, name: str) -> Operation | None:
        """Return the operation or check called `name`, or None if the environment declares none."""
        for each in (*self.operations, *self.checks):
            if each.name == name:
                return each
        return None

    def executable_kind(self, path: str) -> ExecutableKind:
        """Return the declared kind of the tool at `path`; `unknown` for one that is not declared."""
        return self.executable(path).kind

    def executable(self, path: str) -> Executable:
        """Return the declaration of the tool at `path`; one of unknown kind if there is none."""
        return next((each for each in self.executables if each.path == path), Executable(path))

    def may_change(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Say whether a call may alter the world: all but what is declared to read, runs of tools that only do, and
        questions how a tool is used."""
        declared = self.operation(operation)
        if declared is None:
            return True
        if declared.effect is Effect.EXECUTES:
            reads = self.executable_kind(str(arguments.get(declared.subject))) is ExecutableKind.READS
            return not reads and arguments.get("args") != ["--help"]
        return declared.effect in (Effect.WRITES, Effect.DELETES)
