"""Limits the dollars, tokens and seconds that a run spends.

The cost of a request is known only when its reply arrives. So each open request counts
like the dearest reply so far, and before the first reply, only one trial sends a request.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.spending_stop import SpendingStop
from controlplane.agent.limits.spending_tally import SpendingTally
from controlplane.agent.limits.spent_amounts import SpendingLimits

TURN_POLL_S: Final = 0.02
"""Seconds between two checks whether a waiting request may be sent."""


@dataclass(slots=True)
class Spending:
    """The spending of a run. Once a limit is reached, no more requests are sent.

    Used from the threads of all trials. A trial calls `wait_for_turn` before a request to
    a model. When the journal records the request and its reply, the run calls
    `count_request` and `count_reply`.
    """

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    _stop: SpendingStop = field(init=False)
    _tally: SpendingTally = field(init=False)

    def __post_init__(self) -> None:
        self._stop = SpendingStop(self.limits.time_s)
        self._tally = SpendingTally(self.limits)

    @property
    def stop_reason(self) -> str:
        """Why nothing more may be spent; empty while spending is allowed."""
        return self._stop.reason

    @property
    def seconds_left(self) -> float:
        """Seconds until the run's time is over; infinite without a limit."""
        return self._stop.seconds_left

    def close(self, reason: str) -> None:
        """Stop all spending. A second reason is ignored."""
        self._stop.stop(reason)

    def wait_for_turn(self, trial_id: str, stop: threading.Event) -> bool:
        """Wait until a trial may send a request. Return False if `stop` was set before.

        The wait also ends when nothing more may be spent: check `stop_reason` next.
        """
        if not self.limits.limit_requests:
            return True
        while not self.stop_reason:
            if self._tally.take_turn(trial_id):
                return True
            if stop.wait(TURN_POLL_S):
                return False
        return True

    def count_request(self, trial_id: str) -> None:
        """Count a trial's request as open."""
        self._tally.open_request(trial_id)
        self._close_at_limit(next_requests=0)

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request. `cost_usd` is None if the price is unknown."""
        self._tally.count_reply(trial_id, cost_usd, tokens)
        self._close_at_limit(next_requests=1)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, because it ended without a reply."""
        self._tally.end_request(trial_id)

    def take_over(
        self,
        cost_usd: float,
        tokens: int,
        *,
        dearest_usd: float = 0.0,
        most_tokens: int = 0,
    ) -> None:
        """Add what earlier processes of a resumed run have spent.

        `dearest_usd` and `most_tokens` are those of their dearest and their longest reply.
        """
        self._tally.add_earlier_cost(cost_usd, dearest_usd)
        self._tally.add_earlier_tokens(tokens, most_tokens)
        self._close_at_limit(next_requests=1)

    def _close_at_limit(self, next_requests: int) -> None:
        """Stop all spending if the open requests and the next ones might exceed a limit."""
        refusal = self._tally.refusal(next_requests)
        if refusal:
            self.close(refusal)
