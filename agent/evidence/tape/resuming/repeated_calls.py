"""Makes recorded calls again in a new environment, so that it has the same state as the old one.

Example: a trial had written a file when its process was killed, and its environment is lost. It is
resumed in a new environment, where the file is written again:

    recorded                     today
    read("/a.md")    a result    not made again: it changed nothing
    write("/b.md")   a result    is made again, and raises an error if it fails

Forks of a trial, and the grading of an old answer, need this, too.
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
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import ToolSchema


def repeat_changes(
    environment: Environment, record: TrialRecord, *, repeats_all_calls: bool
) -> None:
    """Make the changes of earlier attempts again in a new environment.

    Usually, only the changing calls that succeeded are made again: the others have changed
    nothing. With `repeats_all_calls`, reads and calls that failed are repeated, too.
    Raises `CallError` if a call that succeeded in the record fails now.
    """
    calls: Iterable[CallRecord] = record.all_calls
    if not repeats_all_calls:
        calls = [call for call in calls if call.result is not None]
    for repeated in repeat_calls(environment, calls, repeats_reads=repeats_all_calls):
        if repeated.error is not None and repeated.recorded.error is None:
            raise repeated.error


def repeat_calls(
    environment: Environment, calls: Iterable[CallRecord], *, repeats_reads: bool
) -> Iterator[RepeatedCall]:
    """Make recorded calls again in a new environment, and yield them with their new outcomes.

    With `repeats_reads`, calls that only read are made again, too, to see if the environment gives
    the same results: except a read that failed for a reason like `deadline_exceeded`, which says
    nothing about the files.
    """
    tool_schema = environment.tool_schema
    for call in calls:
        if not _reached_environment(call, tool_schema):
            continue
        is_comparable = call.error is None or not may_yet_succeed(call.error.code)
        may_change = tool_schema.may_change(call.operation, call.arguments)
        if may_change or (repeats_reads and is_comparable):
            yield repeat_call(call, environment)


def _reached_environment(call: CallRecord, tool_schema: ToolSchema) -> bool:
    """Return True for a call that read or changed the environment itself.

    Two kinds of calls did not, and are not repeated:
    - A function of the benchmark only computes. The calls that it made are recorded, too.
    - A tool of an MCP server, such as `wiki.search`, reached a program that is not a part of
      the environment. Its changes are not lost with the environment.
    """
    declared = tool_schema.operation(call.operation)
    if declared is None:
        return not call.is_of_mcp_server
    return not declared.is_function
