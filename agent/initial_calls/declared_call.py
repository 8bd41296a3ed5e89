"""A call that an environment declares for the first message of a trial, with its operation.

The call is made before the model is asked, and the message shows its result. For example, the
environment declares that each file in `/docs` is read:

    InitialCall("read", each_of=EachOf("find", {"root": "/docs"}, "paths"))

This becomes a `DeclaredCall` of the kind `FOR_EACH_LISTED`, and `with_subject("/docs/a.md")`
makes of it the call `read(path="/docs/a.md")`, of the kind `READS_FILE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import asks_for_help
from controlplane.sandbox.interface import (
    EachOf,
    Effect,
    InitialCall,
    Operation,
    Plain,
)


class CallKind(Enum):
    """What a declared call does. Its kind decides when it is sent.

    | kind | example | sent |
    |---|---|---|
    | `READS_FILE` | `read /docs/rules.md` | the rules: first; another file: beside the search |
    | `RUNS_TOOL` | `exec /bin/date`, for its output or to test if it works | first |
    | `ASKS_FOR_HELP` | `exec /bin/renew --help` | last, if the tool fits the request |
    | `FOR_EACH_LISTED` | `read` each file of `find /docs` | once it is known what is listed |
    | `FOR_FITTING_FILES` | the same, if it `is_ranked` | for the files that fit the request |
    | `OTHER` | `tree /` | first |

    The *search* looks for files that fit the request. It starts when the files are listed.
    """

    READS_FILE = auto()
    RUNS_TOOL = auto()
    ASKS_FOR_HELP = auto()
    FOR_EACH_LISTED = auto()
    FOR_FITTING_FILES = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """A call that the environment declares for the first message, with its operation."""

    operation: Operation
    """The operation that it calls, such as `read`."""
    arguments: Mapping[str, Plain]
    """The arguments: `{"path": "/docs/rules.md"}`."""
    listing: EachOf | None = None
    """The call that lists values, for each of which this call is sent; None to send it once."""
    is_ranked: bool = False
    """True if it is sent only for those files of the listing that fit the request."""
    max_chars: int | None = None
    """How many characters of the result are shown; None for as many as there is room."""
    longest_listing: int | None = None
    """Only for a tree of files: a folder with more files than this is drawn in one line."""

    @classmethod
    def of(cls, call: InitialCall, operation: Operation) -> DeclaredCall:
        """Return a call as the environment declares it, with its operation."""
        return cls(
            operation,
            call.arguments,
            listing=call.each_of,
            is_ranked=call.is_ranked,
            max_chars=call.most_chars,
            longest_listing=call.longest_listing,
        )

    @property
    def kind(self) -> CallKind:
        """What the call does."""
        reads = self.operation.effect is Effect.READS
        if self.listing is not None:
            if self.is_ranked and reads:
                return CallKind.FOR_FITTING_FILES
            return CallKind.FOR_EACH_LISTED
        if asks_for_help(self.arguments):
            return CallKind.ASKS_FOR_HELP
        if reads:
            return CallKind.READS_FILE
        if self.operation.effect is Effect.EXECUTES:
            return CallKind.RUNS_TOOL
        return CallKind.OTHER

    @property
    def subject(self) -> str:
        """The main argument: usually the path of a file or a tool; "None" if it is missing."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def only_tests_tool(self) -> bool:
        """True if it only finds out whether a tool works. Its result is not shown."""
        return self.max_chars == 0  # That is how an environment declares a test.

    def with_subject(self, subject: Plain) -> DeclaredCall:
        """Return the call for one value of its listing, such as one file's path.

        The returned call is sent once, so it has no listing.
        """
        arguments = {**self.arguments, self.operation.subject: subject}
        return replace(self, arguments=arguments, listing=None)

    def returns_text_of(self, path: str) -> bool:
        """Return True if its result has the text of this file.

        `read(path="/docs/a.md")` returns the text of `/docs/a.md`, in the field that the
        operation declares for it.
        """
        has_field_for_text = bool(self.operation.json_field)
        return has_field_for_text and self.subject == path

    def has_error_code(self, result: Mapping[str, Plain]) -> bool:
        """Return True if a program ran, and its exit code is not 0."""
        exit_field = self.operation.exit_field
        return bool(exit_field and result.get(exit_field))

    def has_failed(self, result: Mapping[str, Plain]) -> bool:
        """Return True if a result is empty, or is that of a program with an error."""
        return not result or self.has_error_code(result)


@dataclass(frozen=True, slots=True)
class SentCall:
    """A declared call that was sent. It may still run, beside others."""

    declared: DeclaredCall
    """The call as the environment declares it."""
    call: CallUnderWay
    """The call as it was sent."""

    def result(self) -> Mapping[str, Plain]:
        """Wait for the call and return its result; empty if it failed."""
        return self.call.outcome().result or {}
