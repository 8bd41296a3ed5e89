"""A call that an environment declares for the first message of a trial.

The environment says that the time is shown, in at most 200 characters, and its declaration says
what `exec` is. Both together are a `DeclaredCall`:

    InitialCall("exec", {"path": "/bin/date"}, most_chars=200)
        -> DeclaredCall(RUNS_TOOL, the operation exec, {"path": "/bin/date"}, max_chars=200)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.initial_calls.call_kind import CallKind, kind_of
from controlplane.sandbox.interface import InitialCall, Operation, Plain


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
