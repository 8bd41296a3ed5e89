"""One step of a trial as the parent sees it: the task, the replies to requests, the end.

A step runs one script, or one function of the benchmark, in the trial's child. The child is an
untrusted process: it may die, exceed its time or send forbidden messages. The step then ends, and
the trial goes on.
"""

from __future__ import annotations

import signal
import time
from typing import Final, NamedTuple

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import Closed, Forged, Overdue
from controlplane.sandbox.interface.host import Ending, StepResult, VerifyReply
from controlplane.sandbox.interface.messages import (
    Failed,
    Outcome,
    Returned,
    RunFunction,
    RunScript,
    RunVerify,
    StepReport,
)
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.parent.child_process import ChildEnd, TrialProcess
from controlplane.sandbox.parent.conversation import (
    Conversation,
    LimitExceeded,
    OnPrint,
    TrialState,
)
from controlplane.sandbox.parent.requests import Requests

_CHILD_FAILURES: Final = (Overdue, LimitExceeded, Forged, Closed, OSError)
"""Raised if the child exceeded its time (`Overdue`) or another limit (`LimitExceeded`), sent a
forbidden message (`Forged`), or is gone (`Closed`, `OSError`). The step then ends."""

_MAX_REASON_CHARS: Final = 200

_ERROR_CHARS_PER_OUTPUT_CHAR: Final = 8
"""The longest error, as a multiple of the longest output.
It is long because a traceback quotes the script."""

_ENDINGS_OF_CHILD: Final = frozenset(Ending) - {Ending.KILLED}
"""The endings that a child may report. Only the parent reports `killed`."""


class _StepEnd(NamedTuple):
    """How a step ended, and why: `_StepEnd(Ending.LIMIT, "the step ran longer than 60 s")`."""

    ending: Ending
    error: str
    """The reason, as the model is shown it."""


class Step:
    """Runs one script, or one function of the benchmark, in the child of a trial.

    While the script runs, its requests are answered. Before one is, the child may be told to call
    the script's `verify`, or to run a function.
    """

    def __init__(
        self, state: TrialState, process: TrialProcess, on_print: OnPrint | None
    ) -> None:
        self._state = state
        self._limits = state.limits
        self._process = process
        self._started = time.monotonic()
        self._conversation = Conversation(state, process, on_print)
        self._requests = Requests(state, self._conversation, self.verify)
        self._end: _StepEnd | None = None
        """How the step ends; None while the child is alive. The first reason counts. If the child
        is lost while it runs a function or `verify`, the request of the script that waits for it
        fails, too, but that is only a consequence."""

    def run(self, number: int, code: str) -> StepResult:
        """Run a script and return its output, and how it ended. `number` pins its randomness.

        What goes wrong in the child is part of the result. Errors of the host are raised.
        """
        end = self._refusal(code)
        if end is None:
            wall_ms = round(self._conversation.wall_s * 1000)
            script = RunScript(number, code, self._state.scratchpad, wall_ms)
            end = self._end_of(script)
        return StepResult(
            output=self._conversation.printed,
            error=end.error,
            ending=end.ending,
            scratchpad=self._state.scratchpad,
            calls=self._requests.calls,
            elapsed_ms=(time.monotonic() - self._started) * 1000,
        )

    def _refusal(self, code: str) -> _StepEnd | None:
        """Return the end of a step whose script is not run; None if it may be run.

        It is not run if it is too long, or if the trial has used all its CPU time.
        """
        max_code_chars = self._limits.code_chars
        if len(code) > max_code_chars:
            text = f"the script has {len(code)} characters; at most {max_code_chars} are run"
            return _StepEnd(Ending.LIMIT, text)
        if self._process.is_time_over:
            return _StepEnd(Ending.LIMIT, self._used_cpu_text())
        return None

    def _end_of(self, task: RunScript) -> _StepEnd:
        """Run a script in the child, and return how it ended, also if the child is lost."""
        child = self._process.child
        if child is not None and child.connection.has_unread():
            # A genuine child sends nothing between steps, so the child is compromised.
            self._process.end()
        try:
            self._conversation.begin(task)
            report = self._next_result()
            if (
                not isinstance(report, StepReport)
                or report.ending not in _ENDINGS_OF_CHILD
            ):
                # For example, a reply of `verify` although `verify` was not called.
                msg = "a message that nobody waits for"
                raise Forged(msg)
        except _CHILD_FAILURES as error:
            return self._lose_child(error)
        except BaseException:
            # The host failed during a request. The child waits for a reply that never comes.
            self._process.end()
            raise

        # The next step gets a new process if this one ended itself or has no memory left.
        if report.ending == Ending.LIMIT or report.is_spent:
            self._process.end()

        self._conversation.keep_printed(report.end_of_output)
        max_error_chars = _ERROR_CHARS_PER_OUTPUT_CHAR * self._limits.output_chars
        return _StepEnd(Ending(report.ending), report.error[:max_error_chars])

    def compute(self, task: RunFunction, *, is_alone: bool) -> dict[str, Plain]:
        """Run a function of the benchmark in the child, and return the fields of its result.

        If `is_alone`, no script is running. Otherwise the running script called the function
        and waits for its result. Raises `CallError` if the function fails, or if its child is
        lost: the child is then ended.
        """
        if self._process.is_time_over:
            raise CallError(RESOURCE_EXHAUSTED, self._used_cpu_text())
        conversation = self._conversation
        try:
            with conversation.activity.during_function():
                self._requests.function_calls = 0
                if is_alone:
                    conversation.begin(task)
                else:
                    conversation.tell(task)
                outcome = self._next_outcome()
                if isinstance(outcome, Returned) and type(outcome.value) is not dict:
                    msg = "a function result that is not an object"
                    raise Forged(msg)
        except _CHILD_FAILURES as error:
            end = self._lose_child(error)
            code = RESOURCE_EXHAUSTED if end.ending is Ending.LIMIT else INTERNAL
            raise CallError(code, end.error) from None
        except BaseException:
            # The host failed during a call. The child waits for a reply that never comes.
            self._process.end()
            raise

        # The function has ended properly, so its process goes on.
        if isinstance(outcome, Failed):
            raise CallError(outcome.code, outcome.message[: bounds.MOST_REFUSAL_CHARS])
        fields: dict[str, Plain] = outcome.value
        return fields

    def verify(self, is_blank: bool) -> VerifyReply:
        """Call `verify`, the script's own check of its answer, and meanwhile answer its calls.

        `is_blank` is true for the call with a blank answer, to which it should say no. It has a
        shorter time of its own within the time of the step. The reply is negative if `verify`
        raises an exception, exceeds its time, or breaks its process.
        """
        conversation = self._conversation
        step_ends_at = conversation.deadline
        verify_ends_at = (
            time.monotonic() + self._limits.verify_s + bounds.SCRIPT_GRACE_S
        )
        conversation.deadline = min(step_ends_at, verify_ends_at)
        try:
            with conversation.activity.during_verify():
                conversation.tell(RunVerify(is_blank))
                outcome = self._next_outcome()
        except _CHILD_FAILURES as error:
            if isinstance(error, Overdue) and verify_ends_at < step_ends_at:
                # It would otherwise be said that the step ran too long.
                text = f"verify ran longer than {self._limits.verify_s:g} s"
                self._end = _StepEnd(Ending.LIMIT, text)
            return VerifyReply(False, self._lose_child(error).error)
        finally:
            conversation.deadline = step_ends_at
        if isinstance(outcome, Failed):
            return VerifyReply(False, outcome.message)
        return VerifyReply(outcome.value is True)

    # Messages

    def _next_outcome(self) -> Outcome:
        """Answer requests until a function or `verify` has ended. Raises one of `_CHILD_FAILURES`."""
        result = self._next_result()
        if not isinstance(result, StepReport):
            return result
        # The step ended before they did. A genuine child does so only if its time is over.
        if result.ending == Ending.LIMIT:
            raise LimitExceeded(result.error[:_MAX_REASON_CHARS])
        msg = "the end of a step that still runs"
        raise Forged(msg)

    def _next_result(self) -> Outcome | StepReport:
        """Answer requests until a result comes."""
        while True:
            message = self._conversation.receive()
            match message.body:
                case None:
                    continue  # The message only brought text or a scratchpad.
                case Returned() | Failed() | StepReport() as result:
                    return result
                case request:
                    self._requests.reply(request, message.number)

    # The end of a child that exceeded its time, broke the rules, or died

    def _lose_child(self, failure: Exception) -> _StepEnd:
        """End the child after one of `_CHILD_FAILURES`, and return how the step ends.

        If an earlier failure has decided that already, as it did.
        """
        child_end = self._process.end()
        if self._end is None:
            self._end = self._end_after(failure, child_end)
        return self._end

    def _end_after(self, failure: Exception, child_end: ChildEnd) -> _StepEnd:
        """Return how a step ends, given the failure of its child and how the child ended."""
        # 1. The parent has a reason of its own to end the child.
        if isinstance(failure, Forged):
            text = f"the script's process sent what it may not send ({failure}) and was ended"
            return _StepEnd(Ending.KILLED, text)
        if isinstance(failure, LimitExceeded):
            return _StepEnd(Ending.LIMIT, str(failure))
        if isinstance(failure, Overdue):
            text = f"the step ran longer than {self._conversation.wall_s:g} s"
            if self._state.remaining_s() <= 0:
                text = "the time of the trial was over"
            return _StepEnd(Ending.LIMIT, text)
        if self._process.interruption:
            return _StepEnd(Ending.LIMIT, self._process.interruption)

        # 2. The kernel ended the child: each limit of CPU time has its own signal.
        if child_end.code == -signal.SIGXCPU:
            return _StepEnd(Ending.LIMIT, self._used_cpu_text())
        if child_end.code == -signal.SIGVTALRM:
            text = f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
            return _StepEnd(Ending.LIMIT, text)

        # 3. The child died.
        reason = _death_reason(child_end.code)
        text = f"the script's process died ({reason}); what it had at its last call is kept"
        return _StepEnd(Ending.KILLED, text)

    def _used_cpu_text(self) -> str:
        return f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"


def _death_reason(exit_code: int | None) -> str:
    """Return how a process died: `-11` -> `signal 11, SIGSEGV`."""
    if exit_code is None:
        return "its server ended"
    if exit_code >= 0:
        return f"exit code {exit_code}"
    number = -exit_code
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "real-time"
    return f"signal {number}, {name}"
