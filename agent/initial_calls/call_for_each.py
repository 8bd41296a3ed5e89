"""A call that an environment declares for each value of a listing, such as each file of a folder.

The environment says that every file which `find` lists in `/docs` is read before the model is
asked. Its paths are known only later. Then each of them gives a call:

    InitialCall("read", each_of=EachOf("find", {"root": "/docs"}, "paths"))

    for_each.call_for("/docs/a.md")   -> the call `read(path="/docs/a.md")`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from controlplane.sandbox.interface import EachOf, Effect, InitialCall, Operation, Plain

# The kinds of calls that an environment declares for the first message of a trial.
#
# The calls are made before the model is asked. What a call does decides when it is sent, and what is
# learned from its result: the rules of the workspace are kept, for example, because answers are
# checked by them.


class CallKind(Enum):
    """What a declared call does."""

    READS_RULES = auto()
    """It reads the workspace's rules: `read /RULES.md`."""
    READS_FILE = auto()
    """It reads another file: `read /docs/fees.md`."""
    RUNS_TOOL = auto()
    """It runs a tool for its output, or to test if it works: `exec /bin/date`."""
    ASKS_FOR_HELP = auto()
    """It asks a tool how to use it: `exec /bin/renew --help`."""
    OTHER = auto()
    """It does something else: `tree /`."""


def kind_of(
    operation: Operation, arguments: Mapping[str, Plain], rules_path: str
) -> CallKind:
    """Return the kind of a call.

    `rules_path` is the document with the workspace's rules; empty if there is none.
    """
    if asks_for_help(arguments):
        return CallKind.ASKS_FOR_HELP
    if operation.effect is Effect.EXECUTES:
        return CallKind.RUNS_TOOL
    if operation.effect is not Effect.READS:
        return CallKind.OTHER
    if arguments.get(operation.subject) == rules_path:
        return CallKind.READS_RULES
    return CallKind.READS_FILE


def asks_for_help(arguments: Mapping[str, Plain]) -> bool:
    """Return True if a call asks a tool for its help text, as in `/bin/date --help`."""
    return arguments.get("args") == ["--help"]


# A call that an environment declares for the first message of a trial.
#
# The environment says that the time is shown, in at most 200 characters, and its declaration says
# what `exec` is. Both together are a `DeclaredCall`:
#
#     InitialCall("exec", {"path": "/bin/date"}, most_chars=200)
#         -> DeclaredCall(RUNS_TOOL, the operation exec, {"path": "/bin/date"}, max_chars=200)


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """One call that is made before the model is asked."""

    kind: CallKind
    """What the call does: `RUNS_TOOL`."""
    operation: Operation
    """The operation that it calls: `exec`."""
    arguments: Mapping[str, Plain]
    """The arguments: `{"path": "/bin/date"}`."""
    max_chars: int | None = None
    """How many characters of the result are shown; None for as many as there is room."""
    longest_listing: int | None = None
    """Only for a tree of files: a folder with more files than this is drawn in one line."""

    @classmethod
    def of(
        cls,
        declaration: InitialCall,
        operation: Operation,
        arguments: Mapping[str, Plain],
        rules_path: str,
    ) -> DeclaredCall:
        """Return the call with these arguments. `rules_path` is that of the workspace's rules."""
        return cls(
            kind_of(operation, arguments, rules_path),
            operation,
            arguments,
            max_chars=declaration.most_chars,
            longest_listing=declaration.longest_listing,
        )

    @property
    def subject(self) -> str:
        """The main argument: usually the path of a file or a tool; "None" if it is missing."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def only_tests_tool(self) -> bool:
        """True if it only finds out whether a tool works. Its result is not shown."""
        return self.max_chars == 0  # That is how an environment declares a test.


@dataclass(frozen=True, slots=True)
class CallForEach:
    """A call that is made for each value of a listing."""

    declaration: InitialCall
    """The call as the environment declares it."""
    listing: EachOf
    """The call that lists the values: `find(root="/docs")`."""
    operation: Operation
    """The operation that gets each value: `read`."""
    rules_path: str
    """The document with the workspace's rules. The listing may have it, too."""

    @property
    def is_for_fitting_files(self) -> bool:
        """True if only those files are read that fit the user's request."""
        return self.declaration.is_ranked and self.operation.effect is Effect.READS

    def call_for(self, value: Plain) -> DeclaredCall:
        """Return the call for one value of the listing, such as one file's path."""
        arguments = {**self.declaration.arguments, self.operation.subject: value}
        return DeclaredCall.of(
            self.declaration, self.operation, arguments, self.rules_path
        )
