"""The steps of a trial: begins them, writes them to the journal, and counts them in the limits.

A step is one turn of the solver, with its replies, calls, citations and submissions. A solver
may mark its steps by `with session.step():`. Any other one is in a step all the same:

    read("/a.md")      `begin`: step 1 begins
    read("/b.md")      `begin`: step 1 is open, so nothing is done
    the trial ends     `end`: step 1 is written to the journal, and counted in the limits
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from controlplane.agent.events import StepDone
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.session.step_summary import step_summary
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.record.trial_step import TrialStep


class TrialSteps:
    """Begins and ends the steps of one trial, one at a time."""

    def __init__(
        self, recorder: Recorder, clock: TrialClock, limits: Sequence[TrialLimit]
    ) -> None:
        """`limits` hold for every solver, such as that of the calls."""
        self.recorder = recorder
        self.clock = clock
        self.limits = limits
        self.last: StepDone | None = None
        """The last step as the journal has it; None before the first one."""
        self._is_open = False

    def begin(self) -> None:
        """Begin the next step, unless one is open. Each call, citation and so on does this first."""
        if not self._is_open:
            self.recorder.step_log.begin_next()
            self._is_open = True

    def end(self) -> None:
        """Write the open step to the journal and complete it, if there is one."""
        if not self._is_open:
            return
        self._is_open = False
        recorder = self.recorder
        used_s = self.clock.used_s
        summary = step_summary(recorder.current_step, recorder.trial_id, used_s)
        # An earlier attempt at the trial may have recorded this step. Then nothing is written, and
        # the recorded summary is returned.
        counting_summary = recorder.journal.write_step(summary)
        self.complete(counting_summary)

    @contextmanager
    def step(self) -> Iterator[TrialStep]:
        """Do one step in a `with` block, and write it to the journal, unless an exception ends it."""
        # A call before this block has begun a step of its own, which ends now.
        self.end()
        self.begin()
        try:
            yield self.recorder.current_step
        except BaseException:
            self._is_open = False
            raise
        self.end()

    def complete(self, summary: StepDone) -> None:
        """Give the current step its summary, and count it in the limits.

        `end` calls this, and also who restores a recorded step, of which nothing is done again.
        """
        step = self.recorder.current_step
        step.done = summary
        for limit in self.limits:
            limit.count(step)
        self.last = summary
        # If it is recorded, the clock goes on from the time that the earlier attempt had used.
        self.clock.continue_from(summary.used_ms / 1000)
