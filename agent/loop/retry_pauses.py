"""The pauses between the tries of a request, which end early if the trial should stop.

A trial pauses before it asks a busy endpoint again. It may have to wait even before its first
try, because the endpoint has asked another trial for a pause, which holds for all:

    trial t-1   the endpoint: "busy, come back in 20 s"   -> all trials of the run pause for 20 s
    trial t-2   wants to send a request                   -> `wait_out_shared_pause` takes 20 s

If the trial should stop, `Abandoned` ends its request. If the run has spent its budget, `LeftOpen`
ends the trial, which can be resumed later.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from controlplane.agent.loop.session.trial_context import LeftOpen
from controlplane.agent.model import Abandoned, ModelError, RetriesExhausted
from controlplane.agent.retry.run_budget import RunBudget


@dataclass(frozen=True, slots=True)
class RetryPauses:
    """Makes the pauses of one request."""

    stop: threading.Event
    """Set when the reply is no longer wanted, because the trial should stop."""
    run_budget: RunBudget
    """Has the pause that holds for all trials, and tells when the run may spend no more."""

    def wait_out_shared_pause(self) -> None:
        """Wait until the pause that an endpoint asked of all trials is over.

        Raises `Abandoned` if the reply is no longer wanted meanwhile.
        """
        while True:
            remaining_s = self.run_budget.retries.paused_s()
            if remaining_s <= 0:
                return
            self.wait(remaining_s)
            if self.stop.is_set():
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)

    def wait(self, seconds: float) -> None:
        """Wait, but return early if `stop` is set: the caller then asks whether it is.

        Raises `LeftOpen` if the run's budget is spent: the trial can be resumed later.
        """
        spending_end = self.run_budget.spending.end
        was_stopped = self.stop.wait(min(seconds, spending_end.seconds_left))
        if not was_stopped and spending_end.reason:
            raise LeftOpen(spending_end.reason)

    def raise_if_stopped(self, error: ModelError) -> None:
        """If the reply is no longer wanted, end the request instead of trying again.

        Called after a try that failed with `error`, and after the pause that follows. Raises
        `Abandoned` with the text of the error; or the error itself, if it says that the run has
        no retries left, because that ends the other trials, too.
        """
        if not self.stop.is_set():
            return
        if isinstance(error, RetriesExhausted):
            raise error from None
        raise Abandoned(str(error)) from None
