"""Begins the steps of a trial, and writes them to the journal when they end.

A step is one turn of the solver, with its replies, calls, citations and submissions. A solver
may mark its steps by `with session.step():`. Any other one is in a step all the same:

    read("/a.md")      `begin`: step 1 begins
    read("/b.md")      `begin`: step 1 is open, so nothing is done
    the trial ends     `end`: step 1 is written to the journal
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.completed_steps import CompletedSteps
from controlplane.agent.loop.session.step_summary import step_summary
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.record.trial_step import TrialStep


class TrialSteps:
    """Begins and ends the steps of one trial, one at a time."""

    def __init__(
        self, recorder: Recorder, clock: TrialClock, completed: CompletedSteps
    ) -> None:
        """Each step that ends is added to `completed`, which counts it."""
        self.recorder = recorder
        self.clock = clock
        self.completed = completed
        self._is_open = False

    def begin(self) -> None:
        """Begin the next step, unless one is open. Each call, citation and so on does this first."""
        if not self._is_open:
            self.recorder.step_log.begin_next()
            self._is_open = True

    def end(self) -> None:
        """Write the open step to the journal, if there is one, and complete it."""
        if not self._is_open:
            return
        self._is_open = False
        recorder = self.recorder
        used_s = self.clock.used_s
        step = recorder.current_step
        summary = step_summary(step, recorder.trial_id, used_s)
        # An earlier attempt at the trial may have recorded this step. Then nothing is written, and
        # the recorded summary is returned, which counts.
        counting_summary = recorder.journal.write_step(summary)
        self.completed.add(step, counting_summary)

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
