"""The environment of a trial that a new process goes on with, or that is graded again.

A process was killed in a trial. `next_attempt` decides from which recorded steps the next one goes
on, `start_failure_of` what follows if the benchmark does not start the trial again, and
`repeat_changes` brings a new environment to the state of the old one.
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

# A recorded call that is made again in a new environment, and how its outcome differs.
#
# The environment of a trial may be lost. To go on with the trial, or to grade it again, its calls
# are made again in a new environment, which should give the same results:
#
#     recorded                              now                      difference
#     write("/b.md", "x")   {"path": ...}   {"path": ...}            none
#     read("/fees.md")      "fee: 7"        not_found: no such file  fails today: no such file


@dataclass(frozen=True, slots=True)
class _RepeatedCall:
    """A recorded call, and its outcome now.

    If the recorded trial was interrupted during the call, it is not known what the call did. It
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
        | interrupted | not made | was interrupted |
        | an error | a result | failed then and succeeds today |
        | a result | another result | gives another result today |
        """
        recorded_error = self.recorded.error
        recorded_code = "" if recorded_error is None else recorded_error.code
        if self.error is not None:
            is_same_error = recorded_code == str(self.error.code)
            return "" if is_same_error else f"fails today: {self.error.message}"
        if self.result is None:
            return "was interrupted, so its end state is not known"
        if recorded_error is not None:
            return "failed then and succeeds today"
        if self.result != self.recorded.result:
            return "gives another result today"
        return ""


def _repeat_call(call: CallRecord, environment: Environment) -> _RepeatedCall:
    """Make a recorded call again, unless it was interrupted, and return its outcomes then and now."""
    if call.has_unknown_end:
        return _RepeatedCall(call)
    make = partial(environment.call, call.operation, dict(call.arguments))
    try:
        result = guarded(call.operation, make)
    except CallError as error:
        return _RepeatedCall(call, error=error)
    return _RepeatedCall(call, result=result)


# Makes recorded calls again in a new environment, to see how their outcomes differ.
#
# A recorded answer is to be graded again, but the environment of its trial is gone. So the recorded
# calls are made again in a new environment, which should react as the old one did:
#
#     recorded                   made again
#     write("/b.md", "x")        yes
#     read("/a.md")              if reads are repeated, too
#     total_fee(), a function    no: it only computes. The calls that it made are recorded, too
#     wiki.edit("fees", "x")     no: this tool of an MCP server is not a part of the environment
#     pay(3), beyond the limit   no: it was refused, and the old environment has never got it


def repeat_calls(
    environment: Environment, calls: Iterable[CallRecord], *, repeats_reads: bool
) -> Iterator[_RepeatedCall]:
    """Make recorded calls again in a new environment, and yield them with their new outcomes.

    With `repeats_reads`, calls that only read are made again, too, to see if the environment gives
    the same results. A read that failed for a reason like `deadline_exceeded` is left out: it says
    nothing about the files, and may succeed today.
    """
    tool_schema = environment.tool_schema
    for recorded in calls:
        call = recorded.decided_by(tool_schema)
        if not _reached_environment(call, tool_schema):
            continue
        if call.changes or (repeats_reads and _has_lasting_outcome(call)):
            yield _repeat_call(recorded, environment)


def _reached_environment(call: CallRecord, tool_schema: ToolSchema) -> bool:
    """Return True for a call that read or changed the environment itself."""
    if not call.was_sent:
        return False
    declared = tool_schema.operation(call.operation)
    if declared is None:
        # The new environment does not have this operation. The old one had it, unless it is a tool
        # of an MCP server. So the call is made again, and its failure shows the difference.
        return not call.is_of_mcp_server
    return not declared.is_function


def _has_lasting_outcome(call: CallRecord) -> bool:
    """Return True if the same call should end in the same way today."""
    return call.error is None or not may_yet_succeed(call.error.code)


# Decides how a new attempt continues a recorded trial.
#
# An *attempt* is the work of one process on a trial. If the process is killed, `resume` starts
# the next attempt. It relives the recorded steps, and then goes on. Its environment
# is that of the last attempt, or a new one in which the recorded changes are made again.

_MAX_QUOTED_CHARS: Final = 120
"""How many characters of an instruction a message quotes."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The starting point of a new attempt."""

    record: TrialRecord
    """The steps that the attempt relives before it goes on. Empty if it relives none."""
    drops_record: bool = False
    """True if earlier attempts are recorded, but the trial starts over without them."""


def next_attempt(record: TrialRecord, *, starts_over: bool) -> Attempt:
    """Return the starting point of the next attempt: the record of those before, or nothing.

    `starts_over` is the benchmark's wish that a trial whose environment was lost begins again
    without its record. There are two exceptions:
    - A fork relives steps of the trial that it was forked from, so it keeps them.
    - A trial that has sent its answer keeps it.
    """
    is_fork = bool(record.origin)
    must_keep_record = is_fork or record.is_solved
    if starts_over and record.has_begun and not must_keep_record:
        return Attempt(TrialRecord(), drops_record=True)
    return Attempt(record)


def task_fault(record: TrialRecord, task_id: str, instruction: str) -> str:
    """Return why a trial cannot continue with an instruction; empty if it can.

    If the instruction has changed, the recorded steps belong to a different task.
    """
    if not record.has_other_instruction(instruction):
        return ""
    return (
        f"the task {task_id} has another instruction than when its trial began, which was "
        f"{record.instruction[:_MAX_QUOTED_CHARS]!r}: "
        "give the task as it was, or start a new run"
    )


# Makes the changes of a recorded trial again, in a new environment.
#
# A process was killed in a trial, and the environment is lost with it. The trial goes on in a new
# environment, which has to be as the old one was. So the changes are made again first:
#
#     recorded                                      now
#     read("/a.md")              "fee: 7"           not made: it has changed nothing
#     write("/b.md", "x")        {"path": "/b.md"}  made
#     write("/locked.md", "x")   permission_denied  not made: it has changed nothing


def repeat_changes(
    environment: Environment, record: TrialRecord, *, repeats_all_calls: bool
) -> None:
    """Make the changes of earlier attempts again in a new environment.

    With `repeats_all_calls`, calls that read or failed are made again, too, for a grader that judges
    the list of all calls. Raises `CallError` if a call that succeeded in the record fails now.
    """
    calls: Iterable[CallRecord] = record.all_calls
    if not repeats_all_calls:
        calls = [call for call in calls if call.result is not None]
    for repeated in repeat_calls(environment, calls, repeats_reads=repeats_all_calls):
        if repeated.error is not None and repeated.recorded.error is None:
            raise repeated.error


# Decides what happens to a recorded trial that its benchmark fails to start again.
#
# A process was killed in a trial, and the next one asks the benchmark to start it once more. If
# the benchmark refuses, the trial may have failed. But it may also have its answer already: the
# first process was killed after it had sent it.


class TrialStartFailure(Enum):
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


def start_failure_of(record: TrialRecord, code: str) -> TrialStartFailure:
    """Return what happens to a trial whose start failed with an error code.

    | error | the record has | the trial |
    |---|---|---|
    | `failed_precondition`: it has its answer already | the fallback answer | is ended by it |
    | the same | any other answer | is answered |
    | `unavailable`: the server does not answer | a start | may be resumed later |
    | any other | | has failed |
    """
    # The benchmark says that the trial has its answer already. The record has to agree.
    has_answer_already = code == error_codes.FAILED_PRECONDITION
    if record.answer is not None and has_answer_already:
        if record.answer.fallback:
            return TrialStartFailure.ENDED_BY_FALLBACK
        return TrialStartFailure.IS_ANSWERED
    if record.has_begun and failure_of(code).is_environment_fault:
        return TrialStartFailure.MAY_BE_RESUMED
    return TrialStartFailure.IS_FINAL
