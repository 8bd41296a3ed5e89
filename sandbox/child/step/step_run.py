"""One step in a script's process, from the first message to the last.

`ScriptRun` executes the script, `Dialogue` exchanges its messages with the parent, and
`StepEnd` sends the last message: how the script ended. An exception of a script ends only
its step; the next step runs in the same process.
"""

from __future__ import annotations

import contextlib
from typing import Final

from controlplane.sandbox.child.language.current_step import forget_step
from controlplane.sandbox.child.language.pinned_clock import CLOCK
from controlplane.sandbox.child.language.pinned_randomness import seed_step
from controlplane.sandbox.child.step.dialogue import Dialogue
from controlplane.sandbox.child.step.script_run import ScriptRun
from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_end import StepEnd
from controlplane.sandbox.child.step.step_errors import StepErrors
from controlplane.sandbox.child.walls.step_timers import step_timers
from controlplane.sandbox.interface.messages.parent_messages import RunFunction, RunStep
from controlplane.sandbox.interface.messages.tagged_values import Damaged

NO_SCRIPT: Final = RunStep(number=0, source="", scratchpad=None)
"""The task of a step in which only a function of the benchmark runs. Steps with a script
are numbered from 1. The number pins a step's randomness, so that a replay gets the same."""


class StepRun:
    """Runs one step: a script, or only a function of the benchmark (`NO_SCRIPT`).

    A step begins with a fresh clock and fresh random numbers. It ends with a report to the
    parent; nothing of the script is left for the next step but its scratchpad.
    """

    def __init__(self, context: StepContext, task: RunStep) -> None:
        self._context = context
        """What all steps of this process share: the connection, the setting, the modules."""
        self._task = task
        self._errors = StepErrors(task.source, task.number, context.setting.operations)
        """Describes exceptions of the script, as the model is shown them."""
        self._dialogue = Dialogue(context, self._errors)
        """Exchanges messages with the parent."""
        self._end = StepEnd(self._dialogue, self._errors)
        """Reports how the step ended, also if its time is over."""
        self._is_script_out_of_memory = False

    @property
    def is_spent(self) -> bool:
        """True if this process reached its memory limit. The next step gets another process."""
        return self._is_script_out_of_memory or self._dialogue.is_out_of_memory

    def run(self) -> None:
        """Run the script and report how it ended. The order of the last steps matters."""
        self._pin_library()
        self._fill_scratchpad()

        # All of this may run code of the script, so it counts as time of the step.
        with self._timers():
            outcome = ScriptRun(self._context, self._dialogue, self._errors).execute()
            self._is_script_out_of_memory = outcome.is_out_of_memory
            # Encoding the scratchpad may call methods of its values, which may send requests.
            outcome = self._end.prepare_scratchpad(outcome)
            # From here on, the script can send nothing: the report will be the next message.
            self._dialogue.activity.end()
            # Nothing may refer to the script's objects in the next step: neither its `verify`
            # nor what the modules keep for it. Their finalizers run now.
            self._dialogue.submission.forget()
            forget_step()
        self._end.report(outcome)

    def run_function(self, task: RunFunction) -> None:
        """Run a function of the benchmark without a script, and send its result."""
        self._pin_library()
        with self._timers():
            self._dialogue.run_function(task)
        self._dialogue.activity.end()

    def _pin_library(self) -> None:
        """Set the clock and the random numbers of this step, which a replay gets again."""
        setting = self._context.setting
        CLOCK.begin_step(setting.now_us)
        seed_step(setting.seed, self._task.number)

    def _fill_scratchpad(self) -> None:
        """Give the scratchpad the content that it had at the end of the last step.

        If that cannot be read, the scratchpad stays empty, and the script's output says so.
        """
        try:
            self._dialogue.sent_scratchpad.fill(self._task.scratchpad)
        except Damaged as damage:
            self._dialogue.print(
                f"(the scratchpad cannot be read back and is empty now: {damage})\n"
            )

    def _timers(self) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that ends the step if the block takes too long."""
        if self._context.has_process_limits:
            return step_timers(self._context.setting.limits, self._end.expire)
        return contextlib.nullcontext()
