"""What a trial may spend on its models: its own limit in dollars, and what the run has left.

A trial that has used up its own limit (`--trial-cost`) ends. If the run has used up its limit
(`--run-cost`), all trials are left open, and can be resumed with a higher limit.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from controlplane.agent.events import ModelReplied
from controlplane.agent.limits.cost_limit import CostLimit
from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.turn_wait import wait_for_turn
from controlplane.agent.loop.session.trial_context import LeftOpen, TrialContext
from controlplane.agent.model import OutOfBudget


class TrialBudget:
    """Allows or refuses the requests of one trial to its models."""

    def __init__(
        self,
        trial: TrialContext,
        run_spending: Spending,
        stop: threading.Event,
        paid_replies: Iterable[ModelReplied],
    ) -> None:
        """`run_spending` is shared by all trials. `stop` is set to end the run early.

        `paid_replies` are those that an earlier attempt of the trial has paid for.
        """
        self.trial_id = trial.trial_id
        self.cost_limit = CostLimit(trial.max_cost_usd)
        self.run_spending = run_spending
        self.stop = stop
        self.refused_by_run = ""
        """Why the run refused a request of this trial; empty if it refused none."""
        for replied in paid_replies:
            self.count(replied)

    def wait_for_turn(self) -> None:
        """Wait until the trial may send a request. Raises `LeftOpen` if it should stop.

        Until the run knows what a reply costs, its trials ask one after the other.
        """
        if not wait_for_turn(self.run_spending, self.trial_id, self.stop):
            raise LeftOpen

    def raise_if_spent(self) -> None:
        """Raise an error if nothing more may be spent.

        `LeftOpen` says that the run has spent its budget, `OutOfBudget` that the trial has.
        """
        stop_reason = self.run_spending.end.reason
        if stop_reason:
            self.refused_by_run = stop_reason
            raise LeftOpen(stop_reason)
        if self.cost_limit.reason:
            raise OutOfBudget(self.cost_limit.reason)

    def count(self, replied: ModelReplied) -> None:
        """Count what a reply cost the trial. For the run, it is counted elsewhere: when the
        reply is written to the journal.
        """
        self.cost_limit.count_reply(replied)
