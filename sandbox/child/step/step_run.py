"""One step in a script's process, from the first message to the last.

An exception of a script ends only its step.
"""

from __future__ import annotations

import contextlib
import os
from typing import Final

from controlplane.sandbox.child.language import pinned_library
from controlplane.sandbox.child.language.current_step import forget_step
from controlplane.sandbox.child.step.dialogue import Dialogue
from controlplane.sandbox.child.step.script_run import ScriptOutcome, ScriptRun
from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_errors import StepErrors
from controlplane.sandbox.child.walls.isolation import step_timers
from controlplane.sandbox.interface.child_messages import StepReport
from controlplane.sandbox.interface.host import Ending
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.parent_messages import RunFunction, RunStep
from controlplane.sandbox.interface.tagged_values import Damaged

NO_SCRIPT: Final = RunStep(number=0, source="", scratchpad=None)
"""The task of a step in which only a function of the benchmark runs. Steps with a script
are numbered from 1. The number pins a step's randomness, so that a replay gets the same."""


class StepRun:
    """Runs one step: a script, or only a function of the benchmark (`NO_SCRIPT`)."""

    def __init__(self, context: StepContext, task: RunStep) -> None:
        self._context = context
        self._setting = context.setting
        self._task = task
        self._errors = StepErrors(task.source, task.number, self._setting.operations)
        self._dialogue = Dialogue(context, self._errors)
        self._scratchpad_for_report: Plain = None
        """The encoded scratchpad to send with the report at
        the end of the step; None if the parent already has it."""
        self._is_script_out_of_memory = False

    @property
    def is_spent(self) -> bool:
        """True if this process reached its memory limit. The next step gets another process."""
        return (
            self._is_script_out_of_memory or self._dialogue.functions.is_out_of_memory
        )

    def run(self) -> None:
        """Run the script and report how it ended."""
        dialogue = self._dialogue
        self._pin_library()
        try:
            dialogue.sent_scratchpad.fill(self._task.scratchpad)
        except Damaged as damage:
            dialogue.print(
                f"(the scratchpad cannot be read back and is empty now: {damage})\n"
            )

        # All of this runs code of the script, so it counts as time of the step.
        with self._timers():
            outcome = ScriptRun(self._context, dialogue, self._errors).execute()
            self._is_script_out_of_memory = outcome.is_out_of_memory
            # Values may have methods of the script.
            outcome = self._with_prepared_scratchpad(outcome)
            # From here on, nothing of the script can send a message before the report.
            dialogue.activity.end()
            # Finalizers of the script's objects run when these are forgotten.
            dialogue.submission.forget()
            forget_step()
        self._send_report(outcome)

    def run_function(self, task: RunFunction) -> None:
        """Run a function of the benchmark without a script, and send its result."""
        self._pin_library()
        with self._timers():
            self._dialogue.run_function(task)
        self._dialogue.activity.end()

    def _pin_library(self) -> None:
        pinned_library.begin_step(
            self._setting.now_us, self._setting.seed, self._task.number
        )

    def _timers(self) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that ends the step if the block takes too long."""
        if self._context.has_process_limits:
            return step_timers(self._setting.limits, self.expire)
        return contextlib.nullcontext()

    def _with_prepared_scratchpad(self, outcome: ScriptOutcome) -> ScriptOutcome:
        """Encode the scratchpad for the report.

        Returns the outcome, with a fault if the scratchpad cannot be kept, for example
        because it is too large.
        """
        try:
            changed = self._dialogue.sent_scratchpad.take_changed()
        except BaseException as error:  # noqa: BLE001 - values may have methods of the script
            return outcome.with_fault(self._errors.describe(error))
        self._scratchpad_for_report = changed
        return outcome

    def _send_report(self, outcome: ScriptOutcome) -> None:
        """Send the last message of the step."""
        channel = self._dialogue.channel
        end_of_output = channel.end_of_output()
        report = StepReport(outcome.ending, outcome.error, end_of_output, self.is_spent)
        channel.send(report, self._scratchpad_for_report)

    def expire(self, reason: str) -> None:
        """Report the step so far, and end this process, because the time of the step is over.

        The handlers of the timers' signals call this.
        It may interrupt any line of this module.
        """
        # 1. If this interrupts the sending of a message, it is called again after that message.
        dialogue = self._dialogue
        if dialogue.channel.postpone_while_sending(lambda: self.expire(reason)):
            return

        # 2. Save the scratchpad if possible. Encoding it may call methods of the script, which may
        #    raise anything; then the report goes without it. A function has no scratchpad, and
        #    after the script, the scratchpad has been prepared already.
        if dialogue.activity.has_scratchpad:
            self._scratchpad_for_report = None
            with contextlib.suppress(BaseException):
                self._scratchpad_for_report = dialogue.sent_scratchpad.take_changed()

        # 3. Report, and end the process even if that fails. The script would otherwise go on.
        try:
            self._send_report(ScriptOutcome(Ending.LIMIT, reason))
        finally:
            os._exit(0)
