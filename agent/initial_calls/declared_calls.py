"""The calls that an environment declares for the first message of a trial.

They are made before the model is asked, and the message shows their results. Some only test if
a tool works. A tool that does not is left out of what the model is told about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import key_of
from controlplane.agent.initial_calls.sent_call import has_error_code
from controlplane.sandbox.interface import Plain, ToolSchema

LATER_KINDS: Final = (
    CallKind.FOR_EACH_LISTED,
    CallKind.FOR_FITTING_FILES,
    CallKind.ASKS_FOR_HELP,
)
"""Calls of these kinds need the results of others: listings, or which tools fit the request."""


def declared_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the calls that an environment declares for the first message.

    If it declares a call of an operation that it does not have, the call is left out.
    """
    calls: list[DeclaredCall] = []
    for call in tool_schema.initial_calls:
        operation = tool_schema.operation(call.operation)
        if operation is not None:
            calls.append(DeclaredCall.of(call, operation))
    return calls


def first_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the declared calls that are sent first.

    | declared call | sent first |
    |---|---|
    | `tree /`, `exec /bin/date` | yes |
    | `read /RULES.md`, the rules | yes |
    | `read /docs/a.md`, another file | only if no tree is listed |
    | `exec /bin/renew --help` | no, it needs the results of others |

    Once a tree is listed, files that fit the request are searched in it. The calls that read
    the other files run beside this search, to save time.
    """
    calls: list[DeclaredCall] = []
    for declared in declared_calls(tool_schema):
        if declared.kind not in LATER_KINDS:
            calls.append(declared)

    lists_tree = any(declared.operation.drawn_as_tree for declared in calls)
    if not lists_tree:
        return calls
    rules = tool_schema.rules_document
    return [declared for declared in calls if not _reads_other_file(declared, rules)]


def _reads_other_file(declared: DeclaredCall, rules_document: str) -> bool:
    """Return True if a call reads a file that is not the document with the rules."""
    reads_file = declared.kind is CallKind.READS_FILE
    return reads_file and not declared.returns_text_of(rules_document)


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
        result = results.get(key_of(declared.operation.name, declared.arguments))
        if result is None:
            continue  # The call was not made.
        if not result or has_error_code(declared.operation, result):
            failed_tools.add(declared.subject)
    working_tools = [
        tool for tool in tool_schema.executables if tool.path not in failed_tools
    ]
    return replace(tool_schema, executables=tuple(working_tools))
