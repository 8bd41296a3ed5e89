"""Makes recorded calls again in a new environment, so that it has the same state as the old one.

Example: a trial had written a file when its process was killed, and its environment is lost. It is
resumed in a new environment, where the file is written again:

    recorded                     today
    read("/a.md")    a result    not made again: it changed nothing
    write("/b.md")   a result    is made again, and raises an error if it fails

Forks of a trial, and the grading of an old answer, need this, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.failure_codes import may_yet_succeed
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    guarded,
)


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A recorded call, and its outcome now.

    If the recorded trial was cut off during the call, it is not known what the call did. It
    is not made again, and has neither a result nor an error now.
    """

    recorded: CallRecord
    """The call with the outcome that it had then."""
    result: Mapping[str, Plain] | None = None
    """What the call returns now."""
    error: CallError | None = None
    """Why the call fails now."""

    @property
    def difference(self) -> str:
        """How the new outcome differs from the recorded one. Empty if they are the same.

        | then | now | difference |
        |---|---|---|
        | any outcome | another error | fails today |
        | cut off | not made | was cut off |
        | an error | a result | failed then and succeeds today |
        | a result | another result | gives another result today |
        """
        recorded_error = self.recorded.error
        recorded_code = "" if recorded_error is None else recorded_error.code
        if self.error is not None:
            is_same_error = recorded_code == str(self.error.code)
            return "" if is_same_error else f"fails today: {self.error.message}"
        if self.result is None:
            return "was cut off, so its end state is not known"
        if recorded_error is not None:
            return "failed then and succeeds today"
        if self.result != self.recorded.result:
            return "gives another result today"
        return ""


def repeat_calls(
    environment: Environment,
    calls: Iterable[CallRecord],
    *,
    repeats_reads: bool,
) -> Iterator[RepeatedCall]:
    """Make recorded calls again in a new environment, and yield them with their new outcomes.

    With `repeats_reads`, calls that only read are made again, too, to see if the environment
    gives the same results. Otherwise only those that may change something are.
    """
    tool_schema = environment.tool_schema
    for call in calls:
        if not _reached_environment(call, tool_schema):
            continue
        may_change = tool_schema.may_change(call.operation, call.arguments)
        if may_change or (repeats_reads and _is_comparable(call)):
            yield _repeated(call, environment)


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


def _is_comparable(call: CallRecord) -> bool:
    """Return True if another outcome of a read now would mean that the environments differ.

    | recorded outcome | is comparable |
    |---|---|
    | a result, or `not_found` | yes: the same files give the same outcome |
    | `deadline_exceeded` | no: it says nothing about the files, and may succeed today |
    """
    return call.error is None or not may_yet_succeed(call.error.code)


def _repeated(call: CallRecord, environment: Environment) -> RepeatedCall:
    """Make a recorded call again, unless it was cut off, and return its outcomes then and now."""
    if call.state in ("under_way", "lost"):
        return RepeatedCall(call)
    make = partial(environment.call, call.operation, dict(call.arguments))
    try:
        result = guarded(call.operation, make)
    except CallError as error:
        return RepeatedCall(call, error=error)
    return RepeatedCall(call, result=result)


def repeat_changes(
    environment: Environment, record: TrialRecord, *, repeats_all_calls: bool
) -> None:
    """Make the changes of earlier attempts again in a new environment.

    Usually, only the changing calls that succeeded are made again: the others have changed
    nothing. With `repeats_all_calls`, reads and calls that failed are repeated, too.
    Raises `CallError` if a call that succeeded in the record fails now.
    """
    if repeats_all_calls:
        repeated_calls = repeat_calls(environment, record.all_calls, repeats_reads=True)
    else:
        succeeded = [call for call in record.all_calls if call.result is not None]
        repeated_calls = repeat_calls(environment, succeeded, repeats_reads=False)
    for repeated in repeated_calls:
        succeeded_before = repeated.recorded.error is None
        if repeated.error is not None and succeeded_before:
            raise repeated.error
