"""One step of a trial: runs a script, or a function of the benchmark, in the trial's child.

The child is an untrusted process. `Step` gives it the task, answers its requests until
it reports the end, and reports how the step ended, even if the child exceeded its time,
died or sent a forbidden message.
"""

from __future__ import annotations

import time
from typing import Final

from controlplane.sandbox.interface.host import Ending, StepResult, VerifyReply
from controlplane.sandbox.interface.messages.child_results import StepReport
from controlplane.sandbox.interface.messages.parent_messages import RunFunction, RunStep
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.parent.step.conversation import Conversation
from controlplane.sandbox.parent.step.exchange import Exchange
from controlplane.sandbox.parent.step.function_run import FunctionRun
from controlplane.sandbox.parent.step.lost_child import (
    CHILD_FAILURES,
    LostChild,
    StepEnd,
    unexpected_message,
)
from controlplane.sandbox.parent.step.step_output import OnPrint
from controlplane.sandbox.parent.step.trial_state import TrialState
from controlplane.sandbox.parent.step.verify_run import VerifyRun
from controlplane.sandbox.parent.trial_process import TrialProcess

_ERROR_CHARS_PER_OUTPUT_CHAR: Final = 8
"""The longest error, as a multiple of the longest output.
It is long because a traceback quotes the script."""


class Step:
    """Runs one script, or one function of the benchmark, in the child of a trial.

    The child is an untrusted process. While the script runs, its requests are answered. It may
    die, exceed its time or send forbidden messages: the step then ends, and the trial goes on.
    """

    def __init__(
        self, state: TrialState, process: TrialProcess, on_print: OnPrint | None
    ) -> None:
        self._state = state
        self._limits = state.limits
        self._process = process
        self._started = time.monotonic()
        self._conversation = Conversation(state, process, on_print)
        self._exchange = Exchange(state, self._conversation, self._run_verify)
        self._lost_child = LostChild(process, state.limits)

    def run(self, number: int, code: str) -> StepResult:
        """Run a script and return its output, and how it ended. `number` pins its randomness.

        What goes wrong in the child is part of the result. Errors of the host are raised.
        """
        end = self._refusal(code)
        if end is None:
            end = self._end_of(RunStep(number, code, self._state.scratchpad))
        return StepResult(
            output=self._conversation.output.text(),
            error=end.error,
            ending=end.ending,
            scratchpad=self._state.scratchpad,
            calls=self._exchange.counts.calls,
            elapsed_ms=(time.monotonic() - self._started) * 1000,
        )

    def compute(self, task: RunFunction, *, is_alone: bool) -> dict[str, Plain]:
        """Run a function in the child, as `FunctionRun.compute` describes."""
        run = FunctionRun(self._process, self._exchange, self._lost_child)
        return run.compute(task, is_alone=is_alone)

    def _run_verify(self, is_blank: bool) -> VerifyReply:
        """Call `verify`, by which the script checks its answer, in the child.

        `is_blank` is true for the call with a blank answer, to which it should say no.
        """
        run = VerifyRun(self._exchange, self._lost_child, self._limits.verify_s)
        return run.ask(is_blank)

    def _refusal(self, code: str) -> StepEnd | None:
        """Return the end of a step whose script is not run; None if it may be run.

        It is not run if it is too long, or if the trial has used all its CPU time.
        """
        max_code_chars = self._limits.code_chars
        if len(code) > max_code_chars:
            text = f"the script has {len(code)} characters; at most {max_code_chars} are run"
            return StepEnd(Ending.LIMIT, text)
        if self._process.overrun:
            return StepEnd(Ending.LIMIT, self._process.overrun)
        return None

    def _end_of(self, task: RunStep) -> StepEnd:
        """Run a script in the child, and return how it ended, also if the child is lost."""
        try:
            report = self._report_of(task)
        except CHILD_FAILURES as error:
            return self._lost_child.end_child(error)
        except BaseException:
            # The host failed during a request. The child waits for an answer that never comes.
            self._process.end()
            raise

        # The next step gets a new process if this one ended itself or has no memory left.
        if report.ending is Ending.LIMIT or report.is_spent:
            self._process.end()

        self._conversation.output.add(report.end_of_output)
        max_error_chars = _ERROR_CHARS_PER_OUTPUT_CHAR * self._limits.output_chars
        return StepEnd(report.ending, report.error[:max_error_chars])

    def _report_of(self, task: RunStep) -> StepReport:
        """Run a script in the child, and return the child's report of its end.

        Raises one of `CHILD_FAILURES` if the child is lost.
        """
        child = self._process.child
        if child is not None and child.reader.has_unread():
            # A genuine child sends nothing between steps, so the child is compromised.
            self._process.end()

        self._conversation.begin(task)
        result = self._exchange.next_result()
        if not isinstance(result, StepReport):
            raise unexpected_message()
        return result
