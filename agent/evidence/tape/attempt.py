"""Decides how a new attempt continues a recorded trial, and makes recorded calls again.

An attempt is the work of one process on a trial. The next attempt gets the environment
of the last one, or a new environment in which the recorded changes are made again.
Forks and the grading of old answers rebuild an environment in the same way.
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
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    error_codes,
    guarded,
)

MAX_QUOTED_CHARS: Final = 120
"""How many characters of an instruction a message quotes."""


class StartFailure(Enum):
    """What happens to a trial whose benchmark failed to start it."""

    IS_ANSWERED = auto()
    """The trial counts as answered: an earlier attempt sent an answer,
    and was killed before it could record the trial's end."""
    ENDED_BY_FALLBACK = auto()
    """The same, but the answer that was sent is the fallback answer."""
    MAY_BE_RESUMED = auto()
    """The trial stays open: it had begun, and a later attempt may be able to start it."""
    IS_FINAL = auto()
    """The trial has failed."""


def start_failure_of(record: TrialRecord, code: str) -> StartFailure:
    """Return what happens to a trial whose start failed with an error code."""
    # A benchmark refuses to start a trial that has its answer already.
    has_answer_already = code == error_codes.FAILED_PRECONDITION
    if record.answer is not None and has_answer_already:
        if record.answer.fallback:
            return StartFailure.ENDED_BY_FALLBACK
        return StartFailure.IS_ANSWERED
    # The environment failed, whatever was asked. A later attempt may find it in order.
    if record.has_begun and failure_of(code).is_tooling:
        return StartFailure.MAY_BE_RESUMED
    return StartFailure.IS_FINAL


@dataclass(frozen=True, slots=True)
class Attempt:
    """The starting point of a new attempt."""

    record: TrialRecord
    """The record that the attempt continues. Empty if the trial starts over."""
    begins_anew: bool = False
    """True if the trial starts over although earlier attempts are recorded."""


def next_attempt(record: TrialRecord, *, is_environment_lost: bool) -> Attempt:
    """Return the starting point of the next attempt.

    If the environment is lost, the trial starts over, with two exceptions:
    - A fork, which begins with the steps of another trial, continues these.
    - A trial that has sent its answer keeps it.
    """
    is_fork = bool(record.origin)  # the trial from which it was forked
    if (
        is_environment_lost
        and record.has_begun
        and not is_fork
        and not record.is_solved
    ):
        return Attempt(TrialRecord(), begins_anew=True)
    return Attempt(record)


def task_fault(record: TrialRecord, task_id: str, instruction: str) -> str:
    """Return why a trial cannot continue with an instruction; empty if it can.

    If the instruction has changed, the recorded steps belong to a different task.
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
