"""What a trial's record means for the attempt that begins, and recorded calls made once more.

An attempt is one process's work on a trial. The next attempt may get the environment of the last one
or a new one, in which the recorded changes are then made again. Forks and the grading of old answers
rebuild an environment in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.trial_record import TrialRecord
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes, guarded

MAX_QUOTED_CHARS: Final = 120
"""Characters of an instruction that a message quotes."""


class StartFailure(Enum):
    """What it means for a trial that its benchmark could not start it."""

    IS_ANSWERED = auto()
    """The trial has ended with an answer. The journal lacks its end, because the process was killed."""
    ENDED_BY_FALLBACK = auto()
    """The same, and the answer was the fallback."""
    MAY_BE_RESUMED = auto()
    """The trial has begun and may still be ended, so the user decides whether to go on without it."""
    IS_FINAL = auto()
    """The trial did not start."""


def start_failure_of(record: TrialRecord, code: str) -> StartFailure:
    """Return what it means that the start of a trial failed with an error code."""
    if record.answer is not None and code == error_codes.FAILED_PRECONDITION:
        if record.answer.fallback:
            return StartFailure.ENDED_BY_FALLBACK
        return StartFailure.IS_ANSWERED
    if record.has_begun and failure_of(code).is_tooling:
        return StartFailure.MAY_BE_RESUMED
    return StartFailure.IS_FINAL


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the attempt that begins goes on from."""

    record: TrialRecord
    """What earlier attempts did; empty if the trial begins anew."""
    begins_anew: bool = False
    """True if earlier attempts are recorded, and the trial does not go on where they stopped."""


def next_attempt(record: TrialRecord, *, is_environment_lost: bool) -> Attempt:
    """Return what the next attempt goes on from: the record, unless its environment is lost.

    A fork never gives up the steps that it continues, and an answer that was sent stays.
    """
    is_fork = bool(record.origin)
    if is_environment_lost and record.has_begun and not is_fork and not record.is_solved:
        return Attempt(TrialRecord(), begins_anew=True)
    return Attempt(record)


def task_fault(record: TrialRecord, task_id: str, instruction: str) -> str:
    """Return why a trial cannot go on with an instruction; empty if it can.

    The recorded steps of another instruction would answer another task.
    """
    if not record.has_other_instruction(instruction):
        return ""
    return (
        f"the task {task_id} has another instruction than when its trial began, which was "
        f"{record.instruction[:MAX_QUOTED_CHARS]!r}: "
        "give the task as it was, or start a new run"
    )


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A recorded call that was made once more, and its outcome today."""

    recorded: CallRecord
    result: Mapping[str, Plain] | None = None
    error: CallError | None = None
    """Why it fails today. Without `result` and `error` the call was not repeated, because it was cut
    off, so that its outcome then is not known."""

    @property
    def fails_only_now(self) -> bool:
        """True if the call succeeded then and fails now."""
        return self.error is not None and self.recorded.error is None

    @property
    def difference(self) -> str:
        """How the outcome differs from the recorded one; empty if it does not."""
        recorded_error = self.recorded.error
        if self.error is not None:
            if recorded_error is not None and recorded_error.code == str(self.error.code):
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
    only_changes: bool,
    repeats_all_calls: bool,
) -> Iterator[RepeatedCall]:
    """Make recorded calls once more in a new environment, and yield them with their outcomes.

    With `only_changes` calls that only read are left out, unless the environment
    `repeats_all_calls`, because it needs them to come into the same state.
    """
    tool_schema = environment.tool_schema
    for call in calls:
        if not _is_of_environment(call, tool_schema):
            continue
        if not tool_schema.may_change(call.operation, call.arguments):
            failed_transiently = call.error is not None and may_yet_succeed(call.error.code)
            is_left_out = only_changes and not repeats_all_calls
            if failed_transiently or is_left_out:
                continue
        if call.state in ("under_way", "lost"):
            yield RepeatedCall(call)
            continue
        make = partial(environment.call, call.operation, dict(call.arguments))
        try:
            result = guarded(call.operation, make)
        except CallError as error:
            yield RepeatedCall(call, error=error)
        else:
            yield RepeatedCall(call, result=result)


def _is_of_environment(call: CallRecord, tool_schema: ToolSchema) -> bool:
    """Return True for a call that changed or read the environment itself.

    Functions only compute: the record holds the calls that they made. The tools of MCP servers
    (`server.tool`) are outside of the environment, and their effects remain.
    """
    declared = tool_schema.operation(call.operation)
    if declared is None:
        return "." not in call.operation
    return not declared.finds


def bring_forward(
    environment: Environment, record: TrialRecord, *, repeats_all_calls: bool
) -> None:
    """Make the changes of earlier attempts again in a new environment.

    Raises `CallError` for a call that succeeded then and fails now.
    """
    calls: list[CallRecord] = []
    for call in record.all_calls:
        if call.result is not None or repeats_all_calls:
            calls.append(call)
    repeated_calls = repeat_calls(
        environment, calls, only_changes=True, repeats_all_calls=repeats_all_calls
    )
    for repeated in repeated_calls:
        if repeated.error is not None and repeated.fails_only_now:
            raise repeated.error
