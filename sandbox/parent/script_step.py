"""One step of a trial: runs a script, or a function of the benchmark, in the trial's child.

The child is an untrusted process. `Step` gives it the task, answers its requests until
it reports the end, and reports how the step ended, even if the child exceeded its time,
died or sent a forbidden message.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.child_messages import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    ChildMessage,
    CiteRequest,
    FunctionFault,
    FunctionFields,
    StepReport,
    VerifyResult,
)
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import Closed, Forged, Overdue
from controlplane.sandbox.interface.host import Ending, StepResult, VerifyReply
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.parent_messages import (
    RunFunction,
    RunStep,
    RunVerify,
)
from controlplane.sandbox.parent.child_process import ChildEnd
from controlplane.sandbox.parent.conversation import (
    Conversation,
    LimitPassed,
    TrialState,
)
from controlplane.sandbox.parent.request_answers import RequestAnswers
from controlplane.sandbox.parent.trial_process import TrialProcess

_ERROR_CHARS_PER_OUTPUT_CHAR: Final = 8
"""The longest error, as a multiple of the longest output.
It is long because a traceback quotes the script."""

_MAX_REASON_CHARS: Final = 200


_CHILD_FAILURES: Final = (Overdue, LimitPassed, Forged, Closed, OSError)
"""Raised if the child exceeded its time (`Overdue`) or another limit (`LimitPassed`), sent a
forbidden message (`Forged`), or is gone (`Closed`, `OSError`). The step then ends."""


class StepEnd(NamedTuple):
    """How a step ended, and why."""

    ending: Ending
    error: str


class _FunctionFailed(CallError):
    """A function of the benchmark reported an error. Its process can still be used."""


class Step:
    """Runs one script, or one function of the benchmark, in the child of a trial."""

    def __init__(
        self,
        state: TrialState,
        process: TrialProcess,
        on_text: Callable[[str, str], None] | None,
    ) -> None:
        self._state = state
        self._limits = state.limits
        self._process = process
        self._started = time.monotonic()
        self._conversation = Conversation(state, process, on_text)
        self._answers = RequestAnswers(state, self._conversation, self._run_verify)
        self._lost_end: StepEnd | None = None
        """How the step ends because its child was ended or died; None while the child is alive.

        The first reason counts. If the child is lost during `verify` or a function, the
        script's own request cannot be answered either, but that is only a consequence."""

    # A script

    def run(self, number: int, code: str) -> StepResult:
        """Run a script and return how it ended. `number` pins its randomness."""
        # 1. Refuse a script that is too long, or for which no time is left.
        max_code_chars = self._limits.code_chars
        if len(code) > max_code_chars:
            text = f"the script has {len(code)} characters; at most {max_code_chars} are run"
            return self._result(StepEnd(Ending.LIMIT, text))
        if self._process.overrun:
            return self._result(StepEnd(Ending.LIMIT, self._process.overrun))

        # 2. Run the script, until the child reports its end.
        try:
            report = self._run_in_child(RunStep(number, code, self._state.scratchpad))
        except _CHILD_FAILURES as error:
            return self._result(self._end_child(error))
        except BaseException:
            # The host failed during a request. The child waits for an answer that never comes.
            self._process.end()
            raise

        # 3. The next step gets a new process if this one ended itself or has no memory left.
        if report.ending is Ending.LIMIT or report.is_spent:
            self._process.end()

        self._conversation.output.add(report.end_of_output)
        max_error_chars = _ERROR_CHARS_PER_OUTPUT_CHAR * self._limits.output_chars
        return self._result(StepEnd(report.ending, report.error[:max_error_chars]))

    def _run_in_child(self, task: RunStep) -> StepReport:
        """Run a script in the child, and answer its requests until the child reports the end."""
        child = self._process.child
        if child is not None and child.reader.has_unread():
            # A genuine child sends nothing between steps, so the child is compromised.
            self._process.end()

        self._conversation.begin(task)
        while True:
            message = self._conversation.receive()
            if isinstance(message.body, StepReport):
                return message.body
            self._answer(message)

    def _answer(self, message: ChildMessage) -> None:
        """Answer a request. A message that only brings text or a scratchpad needs no answer."""
        request = message.body
        if request is None:
            return
        if not isinstance(
            request, CallRequest | CallsRequest | CiteRequest | AnswerRequest
        ):
            # For example, the reply of a `verify` that was not asked for.
            msg = "a message that nobody waits for"
            raise Forged(msg)

        body = self._answers.answer(request, message.request_number)
        max_bytes = self._answers.max_answer_bytes
        # A script may end without reading its last answer. A function or `verify`, during
        # which requests may only read, waits for every answer.
        is_script = not self._answers.may_only_read
        self._conversation.send_answer(body, max_bytes, may_hang_up=is_script)

    def _result(self, end: StepEnd) -> StepResult:
        """Return the result of the step, with everything the child sent until now."""
        return StepResult(
            output=self._conversation.output.text(),
            error=end.error,
            ending=end.ending,
            scratchpad=self._state.scratchpad,
            calls=self._answers.calls,
            elapsed_ms=(time.monotonic() - self._started) * 1000,
        )

    # A function of the benchmark

    def compute(self, task: RunFunction, *, is_alone: bool) -> dict[str, Plain]:
        """Run a function in the child, and return the fields of its result.

        Raises `CallError`. If `is_alone`, no script is running. Otherwise the running
        script called the function and waits for its result.
        """
        if self._process.overrun:
            raise CallError(RESOURCE_EXHAUSTED, self._process.overrun)

        try:
            with self._answers.during_function():
                if is_alone:
                    self._conversation.begin(task)
                else:
                    self._conversation.interpose(task)
                return self._function_result()
        except _CHILD_FAILURES as error:
            end = self._end_child(error)
            code = RESOURCE_EXHAUSTED if end.ending is Ending.LIMIT else INTERNAL
            raise CallError(code, end.error) from None
        except _FunctionFailed:
            raise  # The function has ended properly, so its process goes on.
        except BaseException:
            # The host failed during a call. The child waits for an answer that never comes.
            self._process.end()
            raise

    def _function_result(self) -> dict[str, Plain]:
        """Answer the calls of a function until it returns. Raises `_FunctionFailed` if it fails."""
        while True:
            message = self._conversation.receive()
            match message.body:
                case FunctionFields(fields):
                    return fields
                case FunctionFault(code, text):
                    raise _FunctionFailed(code, text[: bounds.MOST_REFUSAL_CHARS])
                case StepReport() as report:
                    # The step ended before its function did.
                    raise _early_end(report)
                case _:
                    self._answer(message)

    # The `verify` of a submitted answer

    def _run_verify(self, is_blank: bool) -> VerifyReply:
        """Call the script's `verify` in the child, and meanwhile answer its calls.

        The reply is negative if `verify` raises an exception, exceeds its time, or breaks
        its process.
        """
        # `verify` has a shorter time of its own within the time of the step.
        step_deadline = self._conversation.deadline
        verify_deadline = (
            time.monotonic() + self._limits.verify_s + bounds.SCRIPT_GRACE_S
        )
        try:
            with (
                self._answers.during_verify(),
                self._conversation.with_deadline(min(step_deadline, verify_deadline)),
            ):
                return self._verify_reply(is_blank)
        except _CHILD_FAILURES as error:
            if isinstance(error, Overdue) and verify_deadline < step_deadline:
                # Set the reason here: `_end_child` keeps it. It would otherwise say that
                # the step ran too long.
                text = f"verify ran longer than {self._limits.verify_s:g} s"
                self._lost_end = StepEnd(Ending.LIMIT, text)
            end = self._end_child(error)
            return VerifyReply(False, end.error)

    def _verify_reply(self, is_blank: bool) -> VerifyReply:
        """Ask the child to call `verify`, and answer requests until the reply comes."""
        self._conversation.send(RunVerify(is_blank))
        while True:
            message = self._conversation.receive()
            match message.body:
                case VerifyResult(reply):
                    return reply
                case StepReport() as report:
                    # The step ended before `verify` did.
                    raise _early_end(report)
                case _:
                    self._answer(message)

    # A child that is lost before it reports the end of its step

    def _end_child(self, error: Exception) -> StepEnd:
        """End a child that exceeded its time, sent a forbidden message or is gone.

        Returns how the step ends. If `_lost_end` is set already, it is kept and returned.
        """
        child_end = self._process.end()
        if self._lost_end is None:
            self._lost_end = self._end_after(error, child_end)
        return self._lost_end

    def _end_after(self, error: Exception, child_end: ChildEnd) -> StepEnd:
        """Return how a step ends, given the error of its child and how the child ended."""
        # 1. The parent ended the child.
        if isinstance(error, Forged):
            text = f"the script's process sent what it may not send ({error}) and was ended"
            return StepEnd(Ending.KILLED, text)
        if isinstance(error, LimitPassed):
            return StepEnd(Ending.LIMIT, str(error))
        if isinstance(error, Overdue):
            text = f"the step ran longer than {self._limits.step_wall_s:g} s"
            return StepEnd(Ending.LIMIT, text)
        if self._process.interruption:
            return StepEnd(Ending.LIMIT, self._process.interruption)

        # 2. The kernel ended the child: each limit of CPU time has its own signal.
        if child_end.code == -signal.SIGXCPU:
            text = f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
            return StepEnd(Ending.LIMIT, text)
        if child_end.code == -signal.SIGVTALRM:
            text = f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
            return StepEnd(Ending.LIMIT, text)

        # 3. The child died.
        reason = _death_reason(child_end.code)
        text = f"the script's process died ({reason}); what it had at its last call is kept"
        return StepEnd(Ending.KILLED, text)


def _early_end(report: StepReport) -> Exception:
    """Return the exception if the child ends the step while a function or `verify` runs.

    A genuine child does so only if the time of the step is over. Any other end is forged.
    Both exceptions are among `_CHILD_FAILURES`, for which the step ends.
    """
    if report.ending is Ending.LIMIT:
        return LimitPassed(report.error[:_MAX_REASON_CHARS])
    return Forged("the end of a step that still runs")


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
