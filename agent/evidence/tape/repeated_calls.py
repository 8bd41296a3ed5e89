"""Makes recorded calls again in a new environment.

So a resumed trial, a fork or the grading of an old answer gets an environment in the
state that the recorded trial had reached.
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

    A call that was cut off is not made again: it has no outcome now.
    """

    recorded: CallRecord
    result: Mapping[str, Plain] | None = None
    error: CallError | None = None
    """Why the call fails now."""

    @property
    def difference(self) -> str:
        """How the new outcome differs from the recorded one. Empty if they are the same."""
        recorded_error = self.recorded.error
        recorded_code = "" if recorded_error is None else recorded_error.code
        if self.error is not None:
            if recorded_code == str(self.error.code):
                return ""
            return f"fails today: {self.error.message}"
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

    Calls that only read are repeated only with `repeats_reads`.
    """
    tool_schema = environment.tool_schema
    for call in calls:
        if not _is_of_environment(call, tool_schema):
            continue
        may_change = tool_schema.may_change(call.operation, call.arguments)
        if may_change or (repeats_reads and not _failed_for_a_moment(call)):
            yield _repeated(call, environment)


def _is_of_environment(call: CallRecord, tool_schema: ToolSchema) -> bool:
    """Return True for a call that changed or read the environment itself.

    A function only computes, and its own calls are recorded. Tools of MCP servers,
    named `server.tool`, are outside of the environment, which may be new.
    """
    declared = tool_schema.operation(call.operation)
    if declared is None:
        return "." not in call.operation
    return not declared.is_function


def _failed_for_a_moment(call: CallRecord) -> bool:
    """Return True if a call failed, but might succeed now, such as after a timeout."""
    return call.error is not None and may_yet_succeed(call.error.code)


def _repeated(call: CallRecord, environment: Environment) -> RepeatedCall:
    """Make a recorded call again, unless it was cut off."""
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

    Usually, only the changing calls that succeeded are made again. With
    `repeats_all_calls`, all calls are. Raises `CallError` if a call that succeeded in
    the record fails now.
    """
    calls: list[CallRecord] = []
    for call in record.all_calls:
        if call.result is not None or repeats_all_calls:
            calls.append(call)
    for repeated in repeat_calls(environment, calls, repeats_reads=repeats_all_calls):
        succeeded_before = repeated.recorded.error is None
        if repeated.error is not None and succeeded_before:
            raise repeated.error
