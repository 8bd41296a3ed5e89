"""Leaves the tools that do not work out of what the model is told.

An environment may declare a call that only tests a tool: `exec /bin/renew --help`, of which the
first message shows nothing. It is made before the model is asked:

    its result is {"stdout": "usage: ...", "exit_code": 0}    the tool works
    it has failed, or the exit code is 1                      the tool is left out
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from controlplane.agent.events import CallRecord
from controlplane.agent.initial_calls.call_key import key_of
from controlplane.agent.initial_calls.declared_calls import single_calls
from controlplane.agent.initial_calls.sent_call import has_error_code
from controlplane.sandbox.interface import Plain, ToolSchema


def without_failed_tools(
    tool_schema: ToolSchema, calls: Iterable[CallRecord]
) -> ToolSchema:
    """Return an environment's declaration without the tools that do not work.

    `calls` are the initial calls that were made, with their results.
    """
    results: dict[str, Mapping[str, Plain]] = {}  # by the key of the call
    for record in calls:
        results[key_of(record.operation, record.arguments)] = record.result or {}

    failed_tools: set[str] = set()  # their paths
    for declared in single_calls(tool_schema):
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
