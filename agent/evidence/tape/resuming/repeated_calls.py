"""Makes recorded calls again in a new environment, to see how their outcomes differ.

A recorded answer is to be graded again, but the environment of its trial is gone. So the recorded
calls are made again in a new environment, which should react as the old one did:

    recorded                   made again
    write("/b.md", "x")        yes
    read("/a.md")              if reads are repeated, too
    total_fee(), a function    no: it only computes. The calls that it made are recorded, too
    wiki.edit("fees", "x")     no: this tool of an MCP server is not a part of the environment
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.tape.resuming.repeated_call import (
    RepeatedCall,
    repeat_call,
)
from controlplane.agent.failure_codes import may_yet_succeed
from controlplane.sandbox.interface import ToolSchema


def repeat_calls(
    environment: Environment, calls: Iterable[CallRecord], *, repeats_reads: bool
) -> Iterator[RepeatedCall]:
    """Make recorded calls again in a new environment, and yield them with their new outcomes.

    With `repeats_reads`, calls that only read are made again, too, to see if the environment gives
    the same results. A read that failed for a reason like `deadline_exceeded` is left out: it says
    nothing about the files, and may succeed today.
    """
    tool_schema = environment.tool_schema
    for call in calls:
        if not _reached_environment(call, tool_schema):
            continue
        may_change = tool_schema.may_change(call.operation, call.arguments)
        if may_change or (repeats_reads and _has_lasting_outcome(call)):
            yield repeat_call(call, environment)


def _reached_environment(call: CallRecord, tool_schema: ToolSchema) -> bool:
    """Return True for a call that read or changed the environment itself."""
    declared = tool_schema.operation(call.operation)
    if declared is None:
        # The new environment does not have this operation. The old one had it, unless it is a tool
        # of an MCP server. So the call is made again, and its failure shows the difference.
        return not call.is_of_mcp_server
    return not declared.is_function


def _has_lasting_outcome(call: CallRecord) -> bool:
    """Return True if the same call should end in the same way today."""
    return call.error is None or not may_yet_succeed(call.error.code)
