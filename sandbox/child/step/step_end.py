"""The end of a step: its last message to the parent, and its end if it takes too long."""

from __future__ import annotations

import contextlib
import os

from controlplane.sandbox.child.step.dialogue import Dialogue
from controlplane.sandbox.child.step.script_run import ScriptOutcome
from controlplane.sandbox.child.step.step_errors import StepErrors
from controlplane.sandbox.interface.host import Ending
from controlplane.sandbox.interface.messages.child_results import StepReport
from controlplane.sandbox.interface.plain_data import Plain


class StepEnd:
    """Reports how the script of a step ended, with its changed scratchpad."""

    def __init__(self, dialogue: Dialogue, errors: StepErrors) -> None:
        self._dialogue = dialogue
        self._errors = errors
        self._scratchpad: Plain = None
        """The encoded scratchpad to send with the report; None if the parent already has it."""

    def prepare_scratchpad(self, outcome: ScriptOutcome) -> ScriptOutcome:
        """Encode the scratchpad for the report.

        Returns the outcome, with a fault if the scratchpad cannot be kept, for example
        because it is too large.
        """
        try:
            self._scratchpad = self._dialogue.sent_scratchpad.take_changed()
        except BaseException as error:  # noqa: BLE001 - values may have methods of the script
            return outcome.with_fault(self._errors.describe(error))
        return outcome

    def report(self, outcome: ScriptOutcome) -> None:
        """Send the last message of the step."""
        channel = self._dialogue.channel
        end_of_output = channel.end_of_output()
        is_spent = outcome.is_out_of_memory or self._dialogue.is_out_of_memory
        message = StepReport(outcome.ending, outcome.error, end_of_output, is_spent)
        channel.send(message, self._scratchpad)

    def expire(self, reason: str) -> None:
        """Report the step so far, and end this process, because the time of the step is over.

        The handlers of the timers' signals call this.
        It may interrupt any line of the step.
        """
        # 1. If this interrupts the sending of a message, it is called again after that message.
        dialogue = self._dialogue
        if dialogue.channel.postpone_while_sending(lambda: self.expire(reason)):
            return

        # 2. While the script or its `verify` runs, save the scratchpad if possible. Encoding it may
        #    call methods of the script, which may raise anything; then the report goes without
        #    it. (A function of the benchmark has no scratchpad. After the script,
        #    `prepare_scratchpad` has saved it.)
        if dialogue.activity.has_scratchpad:
            self._scratchpad = None
            with contextlib.suppress(BaseException):
                self._scratchpad = dialogue.sent_scratchpad.take_changed()

        # 3. Report, and end the process even if that fails. The script would otherwise go on.
        try:
            self.report(ScriptOutcome(Ending.LIMIT, reason))
        finally:
            os._exit(0)
