"""An environment's declaration: its operations, its tools, and the part of itself that turn one shows.

`harness`, its reference in the prompt and the evidence that a call leaves are all derived from one `Surface`, so an
environment with other operations needs no change anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from sandbox.interface.operations import Effect, Operation, Plain


class ExecutableKind(StrEnum):
    """The effect of running an executable: `reads` leaves the world unchanged, `changes` alters it, `unknown` may."""

    READS = "reads"
    CHANGES = "changes"
    UNKNOWN = "unknown"


class GivenArguments(NamedTuple):
    """The arguments of one run, without its options."""

    before: tuple[str, ...]
    files: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileArguments:
    """The arguments of a tool that name files to open; `-` among them is stdin."""

    first: int = 0
    """The number of arguments before the files, such as a filter. Options are not counted."""
    count: int | None = None
    """Max files that the tool takes; None: all following arguments. The tool looks up later ones in these files."""
    options: tuple[str, ...] = ()
    """Options without a value that change neither which files are opened nor which words are printed."""

    def split(self, words: Sequence[str]) -> GivenArguments | None:
        """Return the arguments apart, or None if one of them is an undeclared option."""
        options = [word for word in words if word.startswith("-") and word != "-"]
        if any(option not in self.options for option in options):
            return None
        rest = tuple(word for word in words if word not in options)
        end = len(rest) if self.count is None else self.first + self.count
        return GivenArguments(rest[: self.first], rest[self.first : end], rest[end:])


@dataclass(frozen=True, slots=True)
class Executable:
    """A tool of the environment, run through the operation whose effect is `executes`."""

    path: str
    kind: ExecutableKind = ExecutableKind.UNKNOWN
    summary: str = ""
    files: FileArguments | None = None
    """The files that the tool reads; None: a run makes only the tool itself citable."""


@dataclass(frozen=True, slots=True)
class EachOf:
    """Repeats an opening call once for every value that another call lists."""

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
    most_chars: int | None = None
    """Max characters of its text that turn one shows; None: as many as the limits allow."""
    fitting_chars: int | None = None
    """With `each_of`: turn one shows the texts that fit the instruction best, at most this many characters in total,
    and names the others; None: it shows all of them."""
    longest_listing: int | None = None
    """In a tree, a folder with more files is drawn as their number, the first and the last; None: all are drawn."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files that turn one shows because of their names.

    They are the files that the instruction or the output of an opening tool names, the files that these name in turn or
    that hold such a name, and a sample of each folder below `sampled`. A tree among the opening calls tells which files
    exist.
    """

    roots: tuple[str, ...]
    """The folders that hold them."""
    sampled: str = ""
    """One file of every folder in this folder is shown; empty: no samples."""
    read: str = "read"
    """The operation that reads such a file, by its subject."""
    search: str = ""
    """The operation that finds files with a name, by `pattern`, `root` and `limit`; empty: nothing is searched."""
    most: int = 12
    """Max files that are read for their names."""
    chars: int = 3_000
    """Max characters of all these files."""
    each_chars: int = 600
    """Max characters of one file."""
    sample_chars: int = 240
    """Max characters of one sample."""


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
    """Operations with `finds` that only a solver's own stages call; neither scripts nor models are offered them."""
    reads_side_by_side: bool = False
    """Calls that only read may be made from several threads at once; turn one then does so."""

    def operation(self, name: str) -> Operation | None:
        """Return the operation or check called `name`, or None if the environment does not declare it."""
        return next((operation for operation in (*self.operations, *self.checks) if operation.name == name), None)

    def executable(self, path: str) -> Executable:
        """Return the declaration of the tool at `path`; one of unknown kind if the tool is not declared."""
        return next((tool for tool in self.executables if tool.path == path), Executable(path))

    def executable_kind(self, path: str) -> ExecutableKind:
        """Return the declared kind of the tool at `path`; `unknown` if the tool is not declared."""
        return self.executable(path).kind

    def may_change(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Say whether a call may alter the world: every call except declared reads, runs of tools that only read, and a
        tool's `--help`."""
        declared = self.operation(operation)
        if declared is None:
            return True
        if declared.effect is Effect.EXECUTES:
            reads = self.executable_kind(str(arguments.get(declared.subject))) is ExecutableKind.READS
            return not reads and arguments.get("args") != ["--help"]
        return declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES, Effect.ACTS)
