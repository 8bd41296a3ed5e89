"""Everything that an environment declares about itself.

`ToolSchema` is the whole: the operations and tools that scripts may call, the calls
whose results the first message shows, and what its records and documents mean. The
classes before it are its parts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from controlplane.sandbox.interface.operations import Effect, Operation, Plain

# Tools


class ExecutableKind(StrEnum):
    """The effect of running an executable."""

    READS = "reads"
    """It leaves the world unchanged."""
    CHANGES = "changes"
    """It changes the world."""
    UNKNOWN = "unknown"
    """It may change the world."""


class GivenArguments(NamedTuple):
    """The arguments of one run of a tool, without its options.

    For `grep -i heron /a.md /b.md`, with one argument before the files
    (`FileArguments.first`): `before` is `("heron",)`, and `files`
    is `("/a.md", "/b.md")`.
    """

    before: tuple[str, ...]
    files: tuple[str, ...]
    behind: tuple[str, ...]
    """The arguments after the files; empty unless `FileArguments.count` limits the files."""


@dataclass(frozen=True, slots=True)
class FileArguments:
    """Says which arguments of a tool are files that it opens. The argument `-` stands for stdin."""

    first: int = 0
    """The number of arguments before the files, such as
    the pattern of `grep`. Options are not counted."""
    count: int | None = None
    """The most files that the tool takes. The arguments after them are not files,
    but for example ids of records in the files. None if all arguments after
    the first ones are files."""
    options: tuple[str, ...] = ()
    """Options without a value that change neither
    the opened files nor the printed words, such as `-n`."""

    def split(self, words: Sequence[str]) -> GivenArguments | None:
        """Return the parts of a run's arguments; None if they contain an undeclared option."""
        arguments = []
        for word in words:
            is_option = word.startswith("-") and word != "-"
            if is_option and word not in self.options:
                return None
            if not is_option:
                arguments.append(word)

        if self.count is None:
            files_end = len(arguments)
        else:
            files_end = self.first + self.count
        return GivenArguments(
            before=tuple(arguments[: self.first]),
            files=tuple(arguments[self.first : files_end]),
            behind=tuple(arguments[files_end:]),
        )


@dataclass(frozen=True, slots=True)
class Executable:
    """A tool of the environment. Scripts run it by the operation whose effect is `executes`."""

    path: str
    kind: ExecutableKind = ExecutableKind.UNKNOWN
    summary: str = ""
    files: FileArguments | None = None
    """Which arguments are files that the tool reads. After a run, the trial
    may cite these files. None means that it may cite only the tool."""


# What the first message shows


@dataclass(frozen=True, slots=True)
class EachOf:
    """A call that lists values, for each of which an initial call is made.

    For example, `find("*.md", root="/rules")` lists paths, and each file is read.
    """

    operation: str
    arguments: Mapping[str, Plain]
    field: str
    """The result field with the list of values. If an element
    of the list is a mapping, its `path` is the value."""


@dataclass(frozen=True, slots=True)
class InitialCall:
    """A call that is made before the first message, which shows its result."""

    operation: str
    arguments: Mapping[str, Plain] = field(default_factory=dict)
    each_of: EachOf | None = None
    """The listing whose values are passed to the call, one after the other, as
    the operation's `subject` (usually the path). None to make the call once."""
    most_chars: int | None = None
    """The most characters of the result that are shown. None leaves it to
    the other limits; with 0, only a failure is shown."""
    is_ranked: bool = False
    """True to show only the files that share the most words with the user's request,
    up to `ToolSchema.ranked_chars`, and how many are left out. Needs an
    `each_of` that lists files."""
    longest_listing: int | None = None
    """Only for a call that returns a tree of folders: a folder with more files than
    this shows their number and the first ones. None to show all."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Says which files the first message shows in addition to the results of the initial calls.

    It shows the files whose names are in the instruction (the user's request). If there
    is room, it also shows the files that share the most words with it. One of the
    initial calls must return a tree, which provides the paths.
    """

    roots: tuple[str, ...]
    """The folders with such files."""
    records: str = ""
    """The folder among `roots` whose files are records, such as `/records`;
    empty if there is none. Each of its folders has one kind of records:
    `/records/loans/l1.json` is one of the `loans`."""
    read: str = "read"
    """The operation that reads such a file. Its `subject` is the path."""
    search: str = ""
    """The operation that finds files with a name, by `pattern`,
    `root` and `limit`; empty if files are not searched."""
    most: int = 12
    """The most files that are read."""
    each_chars: int = 600
    """Characters that are shown of a file that only shares words with the instruction."""
    follows_records: bool = True
    """True to show also the files that a shown record names, as in `"book": "b7"`.
    False if the environment has functions that look such files up."""


# Records and documents


@dataclass(frozen=True, slots=True)
class RecordOwners:
    """Says how to find the owner of a record.

    The first message shows some users only their own records.
    """

    fields: tuple[str, ...]
    """The fields of a JSON record that may hold its owner's id, the most likely first."""
    tool: str
    """The tool among the initial calls that prints
    the current user, in lines such as `user: u-17`."""
    user_key: str = "user"
    """The key of the line with the user's id."""
    roles_key: str = "roles"
    """The key of the line with the user's roles, separated by commas."""
    own_only: tuple[str, ...] = ()
    """Roles that permit only one's own records. A user with any other role sees all records."""


@dataclass(frozen=True, slots=True)
class DocumentDates:
    """Says how to find the period in which a document is valid.

    A day begins at midnight in `zone`.
    """

    zone: str = ""
    """An offset such as `+01:00`, or a name such as `Europe/Vienna`; empty if it is not known."""
    in_names: bool = False
    """True if the first day of a document can be in its name, as in
    `/notices/2026-03-01-hours.md`. This holds only in folders that the rules
    of the workspace name."""
    from_keys: tuple[str, ...] = ()
    """The keys of a document's front matter with the moment, or the day, from which it is valid."""
    until_keys: tuple[str, ...] = ()
    """The keys with the moment at which it stops being valid, or with its last valid day."""


# The whole declaration

DEFAULT_RANKED_CHARS: Final = 7_000
"""About 1,800 tokens: three or four pages and some records."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """Everything an environment declares about itself.

    Only the operations are required. Each group of fields after them serves one purpose.
    """

    # What can be called

    operations: tuple[Operation, ...]
    executables: tuple[Executable, ...] = ()
    """The tools that the operation with the effect `executes` runs."""

    # What the first message to the model shows

    rules_document: str = ""
    """The path of the document that holds the workspace's rules; empty if there is none."""
    initial_calls: tuple[InitialCall, ...] = ()
    """Calls that are made before the first message, which shows their results."""
    named_files: NamedFiles | None = None
    """How to find files that the instruction names, or shares words with; None to show none."""
    ranked_chars: int = DEFAULT_RANKED_CHARS
    """The most characters, in total, of files that are
    shown because they share words with the instruction."""
    record_owners: RecordOwners | None = None
    """How to find the owner of a record; None if every user may see every record."""
    document_dates: DocumentDates | None = None
    """How to find the period in which a document is valid; None if documents do not state it."""

    # How calls are made and checked

    checks: tuple[Operation, ...] = ()
    """Further operations that a function of the benchmark computes (`Operation.finds`).
    Our own program calls them to check an answer. A script cannot call them."""
    reads_side_by_side: bool = False
    """True if several threads may make reading calls at the same time.
    The initial calls are then made so, to save time."""
    trusted_roots: tuple[str, ...] = ()
    """Folders whose texts are trusted, because only the owner of the workspace can write there."""
    pre_call_check: str = ""
    """The rule that judges each changing call before it is made, as `RULE_SET/CHECK`: the
    names of its rule set and of the rule itself. Empty for none."""
    citations: str = "asked"
    """`asked` or `none`. With `asked`, an answer has to cite the documents on which it
    rests. `none` means that there are no documents to cite: prompts and checks
    of the answer then do not mention citations, and an answer may be empty."""

    # Indexes of the declarations above, for quick access

    _by_name: dict[str, Operation] = field(init=False, repr=False, compare=False)
    _by_path: dict[str, Executable] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # A frozen dataclass sets its own fields by `object.__setattr__`.
        # The declarations are read in reverse, so that the first of several
        # with the same name counts.
        declared = (*self.operations, *self.checks)
        by_name = {operation.name: operation for operation in reversed(declared)}
        by_path = {
            executable.path: executable for executable in reversed(self.executables)
        }
        object.__setattr__(self, "_by_name", by_name)
        object.__setattr__(self, "_by_path", by_path)

    def operation(self, name: str) -> Operation | None:
        """Return the operation or check of this name, or None if it is not declared."""
        return self._by_name.get(name)

    @property
    def undeclared(self) -> list[str]:
        """The names of the operations with the effect `undeclared`.

        Functions of the benchmark are left out, because they only read.
        """
        names = []
        for operation in self.operations:
            if operation.effect is Effect.UNDECLARED and not operation.is_function:
                names.append(operation.name)
        return names

    @property
    def doubtful(self) -> list[str]:
        """The names of the operations that count as changes although they may only read.

        These are the `undeclared` ones, and those whose effect we assumed
        (`Operation.is_undeclared`), as for a tool of an MCP server without annotations.
        """
        names = []
        for operation in self.operations:
            if operation.is_function:  # which only reads
                continue
            is_effect_unknown = operation.effect is Effect.UNDECLARED
            is_effect_assumed = operation.is_undeclared
            may_change = operation.effect in _CHANGING_EFFECTS
            if is_effect_unknown or (is_effect_assumed and may_change):
                names.append(operation.name)
        return names

    def with_reads(self, names: Collection[str]) -> ToolSchema:
        """Return a declaration in which these operations, as the user states, only read.

        Without names, returns this object itself, so that all trials share what is
        derived from it.
        """
        if not names:
            return self
        operations = []
        for operation in self.operations:
            # Operations that write, delete or move files are declared precisely, so they stay.
            may_only_read = operation.effect in (Effect.ACTS, Effect.UNDECLARED)
            if operation.name in names and may_only_read:
                operation = operation._replace(
                    effect=Effect.RETURNS, is_undeclared=False
                )
            operations.append(operation)
        return replace(self, operations=tuple(operations))

    def ends_trial(self, operation: str, result: Mapping[str, Plain] | None) -> bool:
        """Return True if a call's result reports that the environment has ended the trial."""
        declaration = self.operation(operation)
        if declaration is None or not declaration.ends_trial or result is None:
            return False
        field_with_end = declaration.ends_trial  # such as `done` in `{"done": true}`
        return result.get(field_with_end) is True

    def executable(self, path: str) -> Executable:
        """Return the declaration of the tool at `path`. An undeclared tool has an unknown kind."""
        return self._by_path.get(path) or Executable(path)

    def executable_kind(self, path: str) -> ExecutableKind:
        """Return the declared kind of the tool at `path`; `unknown` if not declared."""
        return self.executable(path).kind

    def may_change(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Return True if a call may change the world.

        False if the call is declared as a read, runs a tool that only reads, or asks
        for a tool's `--help`.
        """
        declaration = self.operation(operation)
        if declaration is None:
            return True  # Nothing is known about it.

        # 1. The run of a tool, whose path is the argument named by `subject`
        if declaration.effect is Effect.EXECUTES:
            path = str(arguments.get(declaration.subject))
            if self.executable_kind(path) is ExecutableKind.READS:
                return False
            only_asks_for_help = arguments.get("args") == ["--help"]
            return not only_asks_for_help

        # 2. A function of the benchmark, which can only read
        if declaration.is_function:
            return False

        # 3. Any other call
        return declaration.effect in _CHANGING_EFFECTS

    def is_plain_read(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Return True if a call is declared, changes nothing, and makes no calls of its own.

        Only functions of the benchmark make calls of their own.
        """
        declaration = self.operation(operation)
        if declaration is None or declaration.is_function:
            return False
        return not self.may_change(operation, arguments)


_CHANGING_EFFECTS: Final = frozenset(
    {Effect.WRITES, Effect.DELETES, Effect.MOVES, Effect.ACTS, Effect.UNDECLARED}
)
"""The effects of calls that may change the world. An undeclared effect counts
as one of them. `EXECUTES` is not among them: `may_change` judges such a call
by the tool that it runs."""
