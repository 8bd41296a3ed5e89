"""What a run has spent, and its open requests, counted together from many threads."""

from __future__ import annotations

import threading

from controlplane.agent.limits.open_requests import OpenRequests
from controlplane.agent.limits.spent_amounts import SpendingLimits, SpentAmounts


class SpendingTally:
    """Counts the requests of a run to models, and the replies to them.

    Until the first reply has shown what a reply may cost, only one trial may ask.
    """

    def __init__(self, limits: SpendingLimits) -> None:
        self._spent = SpentAmounts(limits)
        self._requests = OpenRequests()
        self._lock = threading.Lock()

    def take_turn(self, trial_id: str) -> bool:
        """Open a request, and return True, if the trial may ask now; else return False."""
        with self._lock:
            return self._requests.take_turn(trial_id)

    def open_request(self, trial_id: str) -> None:
        """Count a trial's request as open."""
        with self._lock:
            self._requests.open(trial_id)

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request. `cost_usd` is None if the price is unknown."""
        with self._lock:
            self._requests.drop(trial_id)
            self._requests.has_reply = True
            self._spent.add_reply(cost_usd, tokens)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, because it ended without a reply."""
        with self._lock:
            self._requests.drop(trial_id)

    def add_earlier_cost(self, cost_usd: float, dearest_usd: float) -> None:
        """Add the dollars of earlier processes of the run, and of their dearest reply."""
        with self._lock:
            self._spent.cost.add_sum(cost_usd, largest=dearest_usd)

    def add_earlier_tokens(self, tokens: int, most_tokens: int) -> None:
        """Add the tokens of earlier processes of the run, and of their longest reply."""
        with self._lock:
            self._spent.tokens.add_sum(tokens, largest=most_tokens)
            if tokens > 0:
                self._requests.has_reply = True

    def refusal(self, next_requests: int) -> str:
        """Return why the open and the next requests are too many; empty if they are not."""
        return self._spent.refusal(self._requests.count + next_requests)
