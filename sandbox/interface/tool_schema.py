"""Everything that an environment declares about itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from controlplane.sandbox.interface.call_effects import (
    as_read,
    call_may_change,
    is_change_doubtful,
    is_effect_undeclared,
    run_may_change,
)
from controlplane.sandbox.interface.executables import Executable, ExecutableKind
from controlplane.sandbox.interface.first_message import (
    DEFAULT_RANKED_CHARS,
    InitialCall,
    NamedFiles,
)
from controlplane.sandbox.interface.operations import Effect, Operation
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.interface.record_declarations import (
    DocumentDates,
    RecordOwners,
)


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
            if is_effect_undeclared(operation)
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
        operations = []
        for operation in self.operations:
            is_named = operation.name in names
            operations.append(as_read(operation) if is_named else operation)
        return replace(self, operations=tuple(operations))

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
            return run_may_change(self.executable_kind(path), arguments)
        return call_may_change(declaration)

    def is_plain_read(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Return True if a call is declared, changes nothing, and makes no calls of its own.

        Only functions of the benchmark make calls of their own.
        """
        declaration = self.operation(operation)
        if declaration is None or declaration.is_function:
            return False
        return not self.may_change(operation, arguments)
