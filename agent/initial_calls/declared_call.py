"""A call that an environment declares for the first message of a trial, with its operation.

For example, the environment declares that each file in `/docs` is read before the model is asked:

    InitialCall("read", each_of=EachOf("find", {"root": "/docs"}, "paths"))

This becomes a `DeclaredCall` of the kind `FOR_EACH_LISTED`, and `with_subject("/docs/a.md", ...)`
makes of it the call `read(path="/docs/a.md")`, of the kind `READS_FILE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controlplane.agent.initial_calls.call_kind import (
    CallKind,
    kind_of,
    kind_of_single,
)
from controlplane.sandbox.interface import EachOf, InitialCall, Operation, Plain


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """A call that the environment declares for the first message, with its operation."""

    kind: CallKind
    """What the call does. It decides when the call is sent."""
    operation: Operation
    """The operation that it calls, such as `read`."""
    arguments: Mapping[str, Plain]
    """The arguments: `{"path": "/docs/rules.md"}`."""
    listing: EachOf | None = None
    """The call that lists values, for each of which this call is sent; None to send it once."""
    max_chars: int | None = None
    """How many characters of the result are shown; None for as many as there is room."""
    longest_listing: int | None = None
    """Only for a tree of files: a folder with more files than this is drawn in one line."""

    @classmethod
    def of(
        cls, call: InitialCall, operation: Operation, rules_path: str
    ) -> DeclaredCall:
        """Return a call as the environment declares it, with its operation.

        `rules_path` is the document with the workspace's rules.
        """
        return cls(
            kind_of(call, operation, rules_path),
            operation,
            call.arguments,
            listing=call.each_of,
            max_chars=call.most_chars,
            longest_listing=call.longest_listing,
        )

    @property
    def subject(self) -> str:
        """The main argument: usually the path of a file or a tool; "None" if it is missing."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def only_tests_tool(self) -> bool:
        """True if it only finds out whether a tool works. Its result is not shown."""
        return self.max_chars == 0  # That is how an environment declares a test.

    def with_subject(self, subject: Plain, rules_path: str) -> DeclaredCall:
        """Return the call for one value of its listing, such as one file's path."""
        arguments = {**self.arguments, self.operation.subject: subject}
        kind = kind_of_single(self.operation, arguments, rules_path)
        return replace(self, kind=kind, arguments=arguments, listing=None)
