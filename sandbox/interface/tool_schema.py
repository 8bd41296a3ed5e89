"""Everything that an environment declares about itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from controlplane.sandbox.interface.operations import (
    DEFAULT_RANKED_CHARS,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Plain,
)
from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES, Outcomes

# The tools of an environment, and which of their arguments are files.


class ExecutableKind(StrEnum):
    """The effect of running an executable."""

    READS = "reads"
    """It leaves the world unchanged."""
    CHANGES = "changes"
    """It changes the world."""
    UNKNOWN = "unknown"
    """It may change the world."""


class _GivenArguments(NamedTuple):
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

    def split(self, words: Sequence[str]) -> _GivenArguments | None:
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
        return _GivenArguments(
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


# What is known of the effects of calls: whether they may change the world.

_CHANGING_EFFECTS: Final = frozenset(
    {Effect.WRITES, Effect.DELETES, Effect.MOVES, Effect.ACTS, Effect.UNDECLARED}
)
"""The effects of calls that may change the world. An undeclared effect counts
as one of them. `EXECUTES` is not among them: such a call is judged
by the tool that it runs (`ToolSchema.may_change`)."""


def _call_may_change(operation: Operation) -> bool:
    """Return True if a call may change the world, other than by running a tool."""
    if operation.is_function:  # which only reads
        return False
    return operation.effect in _CHANGING_EFFECTS


def _only_asks_for_help(arguments: Mapping[str, Plain]) -> bool:
    """Return True if a tool is run with `--help` alone, which changes nothing."""
    return arguments.get("args") == ["--help"]


def _is_effect_undeclared(operation: Operation) -> bool:
    """Return True if the environment does not say what an operation does.

    Functions of the benchmark only read.
    """
    return operation.effect is Effect.UNDECLARED and not operation.is_function


def is_change_doubtful(operation: Operation) -> bool:
    """Return True if an operation counts as a change although it may only read.

    Its effect is undeclared, or only an assumption (`Operation.is_undeclared`), as for a tool
    of an MCP server that does not say what it does.
    """
    if _is_effect_undeclared(operation):
        return True
    return operation.is_undeclared and _call_may_change(operation)


# What the records and documents of an environment mean: their owners, and their dates.


@dataclass(frozen=True, slots=True)
class RecordOwners:
    """Says how to find the owner of a record.

    The first message shows some users only their own records.
    """

    fields: tuple[str, ...]
    """The fields of a JSON record that may hold its owner's id, the most likely first."""
    tool: str
    """The tool that prints the current user, in lines such as `user: u-17`. The environment has
    it run before the first message (`ToolSchema.initial_calls`)."""
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


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """Everything an environment declares about itself.

    Only the operations are required. Each group of fields after them serves one purpose.

    Example: scripts can read files and run one tool, and the first message shows the root folder.

        ToolSchema(
            operations=(
                Operation("list", ..., effect=Effect.LISTS),
                Operation("read", ..., effect=Effect.READS),
                Operation("run", ..., effect=Effect.EXECUTES),
            ),
            executables=(Executable("/bin/count", ExecutableKind.READS),),
            rules_document="/docs/rules.md",
            initial_calls=(InitialCall("list", {"path": "/"}),),
        )
    """

    # What can be called

    operations: tuple[Operation, ...]
    executables: tuple[Executable, ...] = ()
    """The tools that scripts can run, by an operation with the effect `executes`."""

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
    """Further operations, which the program itself calls to check an answer. A script cannot
    call them. Each is computed by a function of the benchmark, which `Operation.finds` names."""
    reads_side_by_side: bool = False
    """True if several threads may make reading calls at the same time.
    The initial calls are then made so, to save time."""
    trusted_roots: tuple[str, ...] = ()
    """Folders whose texts are trusted, because only the owner of the workspace can write there."""
    pre_call_check: str = ""
    """The rule that judges each changing call before it is made, by the names of its rule set
    and of the rule itself: `files/pre_call`. Empty for none."""
    citations: str = "asked"
    """One of two words. `asked`: an answer has to cite the documents on which it rests.
    `none`: there are no documents to cite. Prompts and checks of the answer then do
    not mention citations, and an answer may be empty."""
    outcomes: Outcomes = GENERAL_OUTCOMES
    """How a trial may end, for prompts, gates and rules."""

    # Indexes of the declarations above, for quick access

    _by_name: dict[str, Operation] = field(init=False, repr=False, compare=False)
    """The operations and checks: `{"read": Operation("read", ...)}`."""
    _by_path: dict[str, Executable] = field(init=False, repr=False, compare=False)
    """The tools that scripts can run: `{"/bin/count": Executable("/bin/count", ...)}`."""

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
    def is_cited(self) -> bool:
        """True if an answer has to cite the documents on which it rests (see `citations`)."""
        return self.citations != "none"

    @property
    def undeclared(self) -> list[str]:
        """The names of the operations for which nothing says if they read or change.

        Functions of the benchmark declare none either, but they only read, so they are left out.
        """
        return [
            operation.name
            for operation in self.operations
            if _is_effect_undeclared(operation)
        ]

    @property
    def doubtful(self) -> list[str]:
        """The names of the operations that count as changes although they may only read.

        - those of `undeclared`
        - those with the effect `acts` if it is only an assumption (`Operation.is_undeclared`),
          such as a tool of an MCP server that does not say what it does
        """
        return [
            operation.name
            for operation in self.operations
            if is_change_doubtful(operation)
        ]

    def with_reads(self, names: Collection[str]) -> ToolSchema:
        """Return a copy in which these operations only read, as the user states, whatever is declared.

        Without names, returns this object itself, so that all trials share what is
        derived from it.
        """
        if not names:
            return self
        operations = list(self.operations)
        for index, operation in enumerate(operations):
            # Operations that write, delete or move files are declared precisely, so they stay.
            is_vague = operation.effect in (Effect.ACTS, Effect.UNDECLARED)
            if operation.name in names and is_vague:
                operations[index] = operation._replace(
                    effect=Effect.RETURNS, is_undeclared=False
                )
        return replace(self, operations=tuple(operations))

    def with_outcomes(self, outcomes: Outcomes) -> ToolSchema:
        """Return a copy with these outcomes; this object itself if it declares some of its own.

        The general ones are those of an environment that declares none.
        """
        if self.outcomes != GENERAL_OUTCOMES or self.outcomes == outcomes:
            return self
        return replace(self, outcomes=outcomes)

    def ends_trial(self, operation: str, result: Mapping[str, Plain] | None) -> bool:
        """Return True if a call's result reports that the environment has ended the trial.

        An operation may declare such a field: `done` in `{"done": true}`. None is the result of
        a call that failed.
        """
        declaration = self.operation(operation)
        if declaration is None or not declaration.ends_trial or result is None:
            return False
        field_with_end = declaration.ends_trial
        return result.get(field_with_end) is True

    def executable(self, path: str) -> Executable:
        """Return the declaration of the tool at `path`. An undeclared tool has an unknown kind."""
        return self._by_path.get(path) or Executable(path)

    def executable_kind(self, path: str) -> ExecutableKind:
        """Return the declared kind of the tool at `path`; `unknown` if not declared."""
        return self.executable(path).kind

    def may_change(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Return True if a call may change something, such as a file or an order.

        False if the call is declared as a read, runs a tool that only reads, or asks
        for a tool's `--help`. What is not known counts as a change.
        """
        declaration = self.operation(operation)
        if declaration is None:
            return True  # Nothing is known about it.

        if declaration.effect is Effect.EXECUTES:
            path = str(arguments.get(declaration.subject))
            if self.executable_kind(path) is ExecutableKind.READS:
                return False
            return not _only_asks_for_help(arguments)
        return _call_may_change(declaration)

    def deciding_arguments(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments by which `may_change` decides: short ones, if any.

        `exec(path="/bin/count", args=[...], stdin=...)` -> {"path": "/bin/count"}
        """
        deciding: dict[str, Plain] = {}
        declaration = self.operation(operation)
        if declaration is None or declaration.effect is not Effect.EXECUTES:
            return deciding
        path = str(arguments.get(declaration.subject))
        if path in self._by_path:
            deciding[declaration.subject] = path
        if _only_asks_for_help(arguments):
            deciding["args"] = ["--help"]
        return deciding
