"""A call that an environment declares for the first message of a trial, with its operation.

The call is made before the model is asked, and the message shows its result. For example, an
environment declares `read /docs/rules.md`, or `read` for each file that `find /docs` lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import asks_for_help
from controlplane.sandbox.interface import Effect, InitialCall, Operation, Plain


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """A call that the environment declares for the first message, with its operation.

    The properties tell the kinds of calls apart:

        read /docs/rules.md        reads a file (`is_read`)
        tree /                     lists the files; its result is shown as a drawing
        exec /bin/date             runs a tool for its output (`runs_for_output`)
        exec /bin/renew --help     asks a tool how it is called (`asks_for_help`)
        exec /bin/renew, 0 chars   finds out if a tool works (`only_tests_tool`)
        read, each of `find`       is sent once for each file that `find` lists (`has_listing`)
    """

    call: InitialCall
    """The call as it is declared."""
    operation: Operation
    """The operation that it calls, such as `read`."""

    @property
    def arguments(self) -> Mapping[str, Plain]:
        """The arguments of the call."""
        return self.call.arguments

    @property
    def subject(self) -> str:
        """The main argument: usually the path of a file or a tool."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def listing_arguments(self) -> Mapping[str, Plain]:
        """The arguments of the call that returns the listing; empty without a listing."""
        listing = self.call.each_of
        return {} if listing is None else listing.arguments

    @property
    def has_listing(self) -> bool:
        """True if it is sent once for each value of a listing, such as each file of a folder."""
        return self.call.each_of is not None

    @property
    def only_tests_tool(self) -> bool:
        """True if it only finds out whether a tool works. Its result is not shown."""
        return self.call.most_chars == 0  # That is how an environment declares a test.

    @property
    def asks_for_help(self) -> bool:
        """True if it asks a tool for its help text."""
        return asks_for_help(self.arguments)

    @property
    def runs_for_output(self) -> bool:
        """True if it runs a tool, and not for its help text."""
        return self.operation.effect is Effect.EXECUTES and not self.asks_for_help

    @property
    def is_read(self) -> bool:
        """True if it reads a file."""
        return self.operation.effect is Effect.READS

    @property
    def is_ranked(self) -> bool:
        """True if it reads only those files of a listing that fit the request."""
        return self.has_listing and self.call.is_ranked and self.is_read

    def with_subject(self, subject: Plain) -> DeclaredCall:
        """Return the call for one value of its listing, such as one file's path."""
        arguments = {**self.arguments, self.operation.subject: subject}
        return replace(self, call=replace(self.call, arguments=arguments))

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
