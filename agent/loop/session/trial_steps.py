"""The steps of a trial: begins them, records them, and counts them in the limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from controlplane.agent.events import StepDone
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.session.step_summary import step_summary
from controlplane.agent.loop.session.trial_context import TrialClock
from controlplane.agent.record.trial_step import TrialStep


class TrialSteps:
    """The steps of one trial, one at a time."""

    def __init__(
        self,
        trial_id: str,
        recorder: Recorder,
        clock: TrialClock,
        limits: Sequence[TrialLimit],
    ) -> None:
        """`limits` count each completed step."""
        self.trial_id = trial_id
        self.recorder = recorder
        self.clock = clock
        self.limits = limits
        self.last: StepDone | None = None
        """The last step as recorded in the journal; None before the first one."""
        self._is_open = False

    def begin(self) -> None:
        """Begin the next step, unless a step is open."""
        if not self._is_open:
            self.recorder.step.begin(self.recorder.trace.number + 1)
            self._is_open = True

    def end(self) -> None:
        """Record the open step, if there is one."""
        if not self._is_open:
            return
        self._is_open = False
        summary = step_summary(self.recorder.trace, self.trial_id, self.clock.used_s)
        # If an earlier attempt has recorded the step, its record counts.
        done = self.recorder.steps.record(summary)
        self.finish(done)

    @contextmanager
    def step(self) -> Iterator[TrialStep]:
        """Do one step, and record it, unless an exception ends it."""
        self.end()
        self.begin()
        try:
            yield self.recorder.trace
        except BaseException:
            self._is_open = False
            raise
        self.end()

    def finish(self, done: StepDone) -> None:
        """Count a step, new or recorded, in the limits, and set the clock to the step's end."""
        step = self.recorder.trace
        step.done = done
        for limit in self.limits:
            limit.count(step)
        self.last = done
        self.clock.continue_from(done.used_ms / 1000)
