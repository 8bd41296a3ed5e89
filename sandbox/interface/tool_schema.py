"""Everything an environment declares: its operations, its tools, what the initial prompt shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from controlplane.sandbox.interface.operations import Effect, Operation, Plain


class ExecutableKind(StrEnum):
    """The effect of running an executable."""

    READS = "reads"
    """It leaves the world unchanged."""
    CHANGES = "changes"
    """It alters the world."""
    UNKNOWN = "unknown"
    """It may alter the world."""


class GivenArguments(NamedTuple):
    """The arguments of one run of a tool, without its options."""

    before: tuple[str, ...]
    files: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileArguments:
    """The arguments of a tool that name files to open; `-` among them is stdin."""

    first: int = 0
    """The number of arguments before the files, such as a filter. Options are not counted."""
    count: int | None = None
    """Max files that the tool takes, and looks up later arguments in; None: all that follow."""
    options: tuple[str, ...] = ()
    """Options without a value that change neither which files are opened nor which words are
    printed."""

    def split(self, words: Sequence[str]) -> GivenArguments | None:
        """Return the parts of a run's arguments, or None if one is an undeclared option."""
        arguments = []
        for word in words:
            is_option = word.startswith("-") and word != "-"
            if is_option and word not in self.options:
                return None
            if not is_option:
                arguments.append(word)

        end = len(arguments) if self.count is None else self.first + self.count
        return GivenArguments(
            before=tuple(arguments[: self.first]),
            files=tuple(arguments[self.first : end]),
            behind=tuple(arguments[end:]),
        )


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
    """Repeats an initial call once for every value that another call lists."""

    operation: str
    arguments: Mapping[str, Plain]
    field: str
    """The result field that lists the values; of an element that is a mapping, its `path`
    counts."""


@dataclass(frozen=True, slots=True)
class InitialCall:
    """A call whose result the initial prompt shows, or one for each value that `each_of` lists."""

    operation: str
    arguments: Mapping[str, Plain] = field(default_factory=dict)
    each_of: EachOf | None = None
    """Lists values, each of which becomes the operation's subject in a call of its own."""
    most_chars: int | None = None
    """Max characters of its text that the initial prompt shows; None: as many as the limits allow;
    0: only whether it fails."""
    is_ranked: bool = False
    """With `each_of`: the initial prompt shows only those of the files that fit the instruction, as
    far as `ToolSchema.ranked_chars` allow, and says how many it leaves out."""
    longest_listing: int | None = None
    """In a tree, a folder with more files is drawn as their number and the first; None: all are
    drawn."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files that the initial prompt shows because the instruction names them, or because their
    words fit it.

    A tree among the initial calls tells which files exist.
    """

    roots: tuple[str, ...]
    """The folders that hold them."""
    records: str = ""
    """The one of `roots` whose files are records of the kinds that its folders name; empty:
    none."""
    read: str = "read"
    """The operation that reads such a file, by its subject."""
    search: str = ""
    """The operation that finds files with a name, by `pattern`, `root` and `limit`; empty: nothing
    is searched."""
    most: int = 12
    """Max files that are read."""
    each_chars: int = 600
    """Max characters that are shown of a file that the instruction does not name."""
    follows_records: bool = True
    """Files that a named JSON record names are shown, too. False where the environment's functions
    join records."""


@dataclass(frozen=True, slots=True)
class RecordOwners:
    """Whose a record is, and who may be shown only the own ones in advance."""

    fields: tuple[str, ...]
    """The fields of a JSON record that hold its owner's id, the likelier first."""
    tool: str
    """The tool among the initial calls that prints who asks, in lines `KEY: VALUE`."""
    user_key: str = "user"
    """The key of the asker's id."""
    roles_key: str = "roles"
    """The key of the asker's roles, with commas between them."""
    own_only: tuple[str, ...] = ()
    """The roles of askers who are shown no record of somebody else, unless they have another role
    beside these."""


@dataclass(frozen=True, slots=True)
class DocumentDates:
    """From when to when a document holds. A date means midnight in `zone` at the begin of that
    day."""

    zone: str = ""
    """An offset such as `+01:00`, or a name such as `Europe/Vienna`; empty: the zone is not
    known."""
    in_names: bool = False
    """A date in the name of a notice is the first day on which it holds. Notices are documents with
    such names in folders that the rules name."""
    from_keys: tuple[str, ...] = ()
    """The keys of a document's front matter that hold the moment or day from which it holds."""
    until_keys: tuple[str, ...] = ()
    """Those that hold the moment from which it does not hold any more, or its last day."""


DEFAULT_RANKED_CHARS: Final = 7_000
"""About 1,800 tokens: three or four pages and some records."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """Everything an environment declares about itself."""

    operations: tuple[Operation, ...]
    executables: tuple[Executable, ...] = ()
    rules_document: str = ""
    """The path of the document that holds the workspace's rules; empty if there is none."""
    initial_calls: tuple[InitialCall, ...] = ()
    named_files: NamedFiles | None = None
    """The files that the initial prompt shows because the instruction names them or their words fit
    it; None: none."""
    ranked_chars: int = DEFAULT_RANKED_CHARS
    """Max characters of all files that the initial prompt shows because they fit the
    instruction."""
    record_owners: RecordOwners | None = None
    """Whose a record is; None: anybody may be shown any record."""
    document_dates: DocumentDates | None = None
    """From when to when a document holds; None: no document says so."""
    checks: tuple[Operation, ...] = ()
    """Operations with `finds` that only a solver's own stages call; neither scripts nor models are
    offered them."""
    reads_side_by_side: bool = False
    """Calls that only read may be made from several threads at once; the initial prompt does so."""
    trusted_roots: tuple[str, ...] = ()
    """Folders whose files the owner of the workspace writes, such as policies: their texts are
    trusted."""
    pre_call_check: str = ""
    """`RULE_SET/CHECK`: while the rule of this name asks, the check judges each call that may
    change something by its operation and arguments before it is made; empty for none."""
    citations: str = "asked"
    """`asked` if an answer cites what it rests on; `none` where there are no documents: prompt and
    gates then leave citations out, and an answer may be empty."""
    _by_name: dict[str, Operation] = field(init=False, repr=False, compare=False)
    _by_path: dict[str, Executable] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # In reverse, so that the first of several declarations of a name counts.
        declared = (*self.operations, *self.checks)
        by_name = {operation.name: operation for operation in reversed(declared)}
        by_path = {executable.path: executable for executable in reversed(self.executables)}
        object.__setattr__(self, "_by_name", by_name)
        object.__setattr__(self, "_by_path", by_path)

    def operation(self, name: str) -> Operation | None:
        """Return the operation or check of this name, or None if it is not declared."""
        return self._by_name.get(name)

    @property
    def undeclared(self) -> list[str]:
        """The operations that do not say what they do."""
        names = []
        for operation in self.operations:
            if operation.effect is Effect.UNDECLARED and not operation.finds:
                names.append(operation.name)
        return names

    @property
    def doubtful(self) -> list[str]:
        """The operations of which nobody says whether they change something, and so are taken
        to."""
        names = []
        for operation in self.operations:
            is_undeclared = operation.effect is Effect.UNDECLARED or operation.is_undeclared
            if is_undeclared and operation.effect in _CHANGING_EFFECTS and not operation.finds:
                names.append(operation.name)
        return names

    def with_reads(self, names: Collection[str]) -> ToolSchema:
        """Return the declaration with these operations as ones that only read, as the user says."""
        operations = []
        for operation in self.operations:
            is_taken_to_change = operation.effect in (Effect.ACTS, Effect.UNDECLARED)
            if operation.name in names and is_taken_to_change:
                operation = operation._replace(effect=Effect.RETURNS, is_undeclared=False)
            operations.append(operation)
        return replace(self, operations=tuple(operations))

    def ends_trial(self, operation: str, result: Mapping[str, Plain] | None) -> bool:
        """Say whether a call's result reports that the environment has ended the trial."""
        declared = self.operation(operation)
        if declared is None or not declared.ends_trial or result is None:
            return False
        return result.get(declared.ends_trial) is True

    def executable(self, path: str) -> Executable:
        """Return the declaration of the tool at `path`; one of unknown kind if not declared."""
        return self._by_path.get(path) or Executable(path)

    def executable_kind(self, path: str) -> ExecutableKind:
        """Return the declared kind of the tool at `path`; `unknown` if not declared."""
        return self.executable(path).kind

    def may_change(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Say whether a call may alter the world.

        Only declared reads, runs of tools that only read, and a tool's `--help` may not.
        """
        declared = self.operation(operation)
        if declared is None:
            return True
        if declared.effect is Effect.EXECUTES:
            path = str(arguments.get(declared.subject))
            if self.executable_kind(path) is ExecutableKind.READS:
                return False
            return arguments.get("args") != ["--help"]
        return declared.effect in _CHANGING_EFFECTS and not declared.finds


_CHANGING_EFFECTS: Final = frozenset(
    {Effect.WRITES, Effect.DELETES, Effect.MOVES, Effect.ACTS, Effect.UNDECLARED}
)
