"""How a trial waits before it asks its model again, and what ends the wait early.

- The trial is told to stop, because nobody wants its reply any more. It ends.
- The budget of the run is spent. The trial is left open, and can be resumed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from controlplane.agent.limits.spending import Spending
from controlplane.agent.loop.session.trial_context import LeftOpen
from controlplane.agent.model import Abandoned
from controlplane.agent.retry.run_budget import RetryBudget


@dataclass(frozen=True, slots=True)
class TrialWait:
    """Waits in one trial. The wait ends early if the run or the trial should stop."""

    stop: threading.Event
    """Set when the trial should stop."""
    spending: Spending
    """What the run may spend: its money and its time."""
    retries: RetryBudget
    """Has the pause that an endpoint asked of all trials of the run."""

    @property
    def was_stopped(self) -> bool:
        """True if the trial is told to stop."""
        return self.stop.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but return early if the trial is told to stop: check `was_stopped` next.

        Raises `LeftOpen` if the run's budget is spent: the trial can be resumed later.
        """
        was_stopped = self.stop.wait(min(seconds, self.spending.seconds_left))
        if not was_stopped and self.spending.stop_reason:
            raise LeftOpen(self.spending.stop_reason)

    def wait_out_shared_pause(self) -> None:
        """Wait until the pause that an endpoint asked of all trials is over.

        Raises `Abandoned` if the trial is told to stop meanwhile.
        """
        while True:
            remaining_s = self.retries.paused_s()
            if remaining_s <= 0:
                return
            self.wait(remaining_s)
            if self.was_stopped:
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)
