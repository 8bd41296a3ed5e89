"""The calls that an environment declares for the first message of a trial.

It may declare `read /docs/rules.md`, `tree /`, or `read` for each file that `tree` lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import is_help
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
    """An initial call that the environment declares, with its operation.

    A call may be declared *for each value of a listing*: the environment lists files,
    for example, and the call reads each of them.
    """

    call: InitialCall
    operation: Operation

    @property
    def arguments(self) -> Mapping[str, Plain]:
        """The arguments with which it is sent."""
        return self.call.arguments

    @property
    def subject(self) -> str:
        """Its main argument, such as the path of a file or a tool."""
        return str(self.arguments.get(self.operation.subject))

    @property
    def listing_arguments(self) -> Mapping[str, Plain]:
        """The arguments of the call that returns its listing; empty without a listing."""
        listing = self.call.each_of
        return {} if listing is None else listing.arguments

    @property
    def has_listing(self) -> bool:
        """True if it is sent for each value of a listing."""
        return self.call.each_of is not None

    @property
    def is_probe(self) -> bool:
        """True if it only tests whether a tool works. Its result is not shown."""
        return self.call.most_chars == 0  # That is how an environment declares a probe.

    @property
    def is_help(self) -> bool:
        """True if it asks a tool for its help text."""
        return is_help(self.arguments)

    @property
    def is_read(self) -> bool:
        """True if it reads a file."""
        return self.operation.effect is Effect.READS

    @property
    def is_ranked(self) -> bool:
        """True if it reads the documents of a listing, to show those that fit."""
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
    """Return the declared initial calls, except calls of unknown operations."""
    calls: list[DeclaredCall] = []
    for call in tool_schema.initial_calls:
        operation = tool_schema.operation(call.operation)
        if operation is not None:
            calls.append(DeclaredCall(call, operation))
    return calls


def first_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the declared calls that are sent at once, because they need no other results.

    If one of them lists the tree of files (which is shown as a drawing), calls that read
    files are left for later: the tree shows which files exist. Only the rules are read at
    once.
    """
    calls: list[DeclaredCall] = []
    for declared in declared_calls(tool_schema):
        if not declared.has_listing and not declared.is_help:
            calls.append(declared)

    has_tree = any(declared.operation.drawn_as_tree for declared in calls)
    if not has_tree:
        return calls
    rules = tool_schema.rules_document
    return [
        declared
        for declared in calls
        if not declared.is_read or declared.returns_text_of(rules)
    ]


def without_down(tool_schema: ToolSchema, calls: Iterable[CallRecord]) -> ToolSchema:
    """Return a declaration without the tools that are down: those whose probe failed.

    A probe is a call that only tests a tool. Its subject is the tool's path. `calls` are
    the initial calls with their outcomes.
    """
    results: dict[str, Mapping[str, Plain]] = {}  # by call
    for record in calls:
        results[key_of(record.operation, record.arguments)] = record.result or {}

    down: set[str] = set()
    for declared in declared_calls(tool_schema):
        if not declared.is_probe:
            continue
        result = results.get(key_of(declared.call.operation, declared.arguments))
        if result is not None and declared.has_failed(result):
            down.add(declared.subject)
    up = tuple(tool for tool in tool_schema.executables if tool.path not in down)
    return replace(tool_schema, executables=up)
