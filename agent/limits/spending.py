"""Limits the dollars, tokens and seconds that a run spends.

The cost of a request is known only when its reply arrives. So each *open* request, which has
no reply yet, counts like the dearest reply so far. With `--run-cost 10`, $6 spent and a dearest
reply of $2, two requests may be open. For each request, a trial calls:

1. `take_turn` before it sends the request: before the run's first reply, only one trial asks
2. `count_request` when the request is in the journal
3. `count_reply` when the reply is in the journal, or `end_request` if none came
"""

from __future__ import annotations

import threading

from controlplane.agent.limits.spending_end import SpendingEnd
from controlplane.agent.limits.spending_limits import EarlierSpending, SpendingLimits
from controlplane.agent.limits.spent_amounts import SpentAmounts


class Spending:
    """The spending of a run, shared by the threads of its trials."""

    def __init__(self, limits: SpendingLimits | None = None) -> None:
        self.limits = limits or SpendingLimits()
        self.end = SpendingEnd(self.limits.time_s)
        self._spent = SpentAmounts(self.limits)
        self._asking_trials: set[str] = set()
        """The trials with an open request. A trial has at most one at a time."""
        self._lock = threading.Lock()
        """Protects `_spent` and `_asking_trials`."""

    def take_turn(self, trial_id: str) -> bool:
        """Return True if a trial may ask now. Its request then counts as open.

        Before the first reply, it may not ask while another trial has an open request.
        """
        with self._lock:
            other_trials = self._asking_trials - {trial_id}
            may_ask = self._spent.has_reply or not other_trials
            if may_ask:
                self._asking_trials.add(trial_id)
            return may_ask

    def count_request(self, trial_id: str) -> None:
        """Count a trial's request as open, and end the spending if not all can be paid."""
        with self._lock:
            # A solver's request is open since its turn. Others, such as a grader's, take none.
            self._asking_trials.add(trial_id)
            self._end_unless_payable(len(self._asking_trials))

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request. `cost_usd` is None if the price is unknown."""
        with self._lock:
            self._asking_trials.discard(trial_id)
            self._spent.add_reply(cost_usd, tokens)
            # The run goes on if it can pay the open requests and a next one.
            self._end_unless_payable(len(self._asking_trials) + 1)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, which got no reply. Without one, do nothing."""
        with self._lock:
            self._asking_trials.discard(trial_id)

    def take_over(self, spent: EarlierSpending) -> None:
        """Add what earlier processes of a resumed run have spent."""
        with self._lock:
            self._spent.add_earlier(spent)
            self._end_unless_payable(len(self._asking_trials) + 1)

    def _end_unless_payable(self, request_count: int) -> None:
        """End all spending if the replies to this many requests might exceed a limit."""
        refusal = self._spent.refusal(request_count)
        if refusal:
            self.end.declare(refusal)
