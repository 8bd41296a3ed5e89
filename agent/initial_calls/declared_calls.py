"""The calls that an environment declares for the first message of a trial.

They are made before the model is asked, and the message shows their results. For example, an
environment declares `read /docs/rules.md`, or `read` for each file that `find /docs` lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import asks_for_help
from controlplane.agent.initial_calls.initial_calls import key_of
from controlplane.sandbox.interface import (
    Effect,
    InitialCall,
    Operation,
    Plain,
    ToolSchema,
)


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """A call that the environment declares for the first message, with its operation.

    For example:

        read /docs/rules.md        reads a file (`is_read`)
        tree /                     lists the files; its result is shown as a drawing
        exec /bin/date             runs a tool for its output
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
    """A declared call that was sent. It may still run."""

    declared: DeclaredCall
    """The call as the environment declares it."""
    call: CallUnderWay
    """The call as it was sent."""

    def result(self) -> Mapping[str, Plain]:
        """Wait for the call and return its result; empty if it failed."""
        return self.call.outcome().result or {}


def declared_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the calls that an environment declares for the first message.

    If it declares a call of an operation that it does not have, the call is left out.
    """
    calls: list[DeclaredCall] = []
    for call in tool_schema.initial_calls:
        operation = tool_schema.operation(call.operation)
        if operation is not None:
            calls.append(DeclaredCall(call, operation))
    return calls


def first_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the declared calls that are sent first. They need no results of other calls.

    Left for later are:

    - a call for each value of a listing, such as `read` for each file that `find`
      lists, because the listing must be read before
    - a call for a tool's help text, such as `/bin/renew --help`, because only tools
      that fit the request are asked
    - if one of the first calls lists the tree of files: calls that read files. They run
      while files that fit the request are searched in this tree. But the workspace's
      rules are read at once.
    """
    calls: list[DeclaredCall] = []
    for declared in declared_calls(tool_schema):
        if not declared.has_listing and not declared.asks_for_help:
            calls.append(declared)

    lists_tree = any(declared.operation.drawn_as_tree for declared in calls)
    if not lists_tree:
        return calls
    rules_path = tool_schema.rules_document
    return [
        declared
        for declared in calls
        if not declared.is_read or declared.returns_text_of(rules_path)
    ]


def without_failed_tools(
    tool_schema: ToolSchema, calls: Iterable[CallRecord]
) -> ToolSchema:
    """Return an environment's declaration without the tools that do not work.

    An environment may declare a call that only tests a tool. If this call has failed, the
    tool is left out, so that the model does not try to run it. `calls` are the initial calls
    that were made, with their results.
    """
    results: dict[str, Mapping[str, Plain]] = {}  # by the key of the call
    for record in calls:
        results[key_of(record.operation, record.arguments)] = record.result or {}

    failed_tools: set[str] = set()  # their paths
    for declared in declared_calls(tool_schema):
        if not declared.only_tests_tool:
            continue
        result = results.get(key_of(declared.call.operation, declared.arguments))
        if result is not None and declared.has_failed(result):
            failed_tools.add(declared.subject)
    working_tools = [
        tool for tool in tool_schema.executables if tool.path not in failed_tools
    ]
    return replace(tool_schema, executables=tuple(working_tools))
