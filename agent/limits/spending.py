"""Limits the dollars, tokens and seconds that a run spends.

The cost of a request is known only when its reply arrives. So each request that is still
open counts like the dearest reply so far, and before the first reply, only one trial asks.
With `--run-cost 10`, $6 spent and a dearest reply of $2, two requests may be open.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.spending_stop import SpendingStop
from controlplane.agent.limits.spending_tally import SpendingTally
from controlplane.agent.limits.spent_amounts import EarlierSpending, SpendingLimits

TURN_POLL_S: Final = 0.02
"""Seconds between two checks whether a waiting request may be sent."""


@dataclass(slots=True)
class Spending:
    """The spending of a run. Once a limit is reached, no more requests are sent.

    The threads of all trials share it. Each request to a model takes three steps:

    1. `wait_for_turn`: the trial waits if it has to know first what replies cost
    2. `count_request`: the request is in the journal, and so is *open*
    3. `count_reply`: its reply is in the journal; or `end_request`, if none came

    An open request counts like the dearest reply so far: after $6 of 10, and a dearest reply of
    $2, two requests may be open.
    """

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    """The dollars, tokens and seconds that the user allows."""
    _stop: SpendingStop = field(init=False)
    """Why the run may spend nothing more."""
    _tally: SpendingTally = field(init=False)
    """Counts the open requests, and the dollars and tokens of replies."""

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
        """Wait until a trial may send a request. Return False if `stop` was set meanwhile.

        True does not mean that the run may still spend: the wait also ends at a limit of the
        run. So check `stop_reason` next.
        """
        if not self.limits.has_amount_limit:
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
        # Can the run pay all open requests, of which this is one?
        self._close_unless_payable(further_requests=0)

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request. `cost_usd` is None if the price is unknown."""
        self._tally.count_reply(trial_id, cost_usd, tokens)
        # Can the run pay one more request than those that are open?
        self._close_unless_payable(further_requests=1)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, because it ended without a reply."""
        self._tally.end_request(trial_id)

    def take_over(self, spent: EarlierSpending) -> None:
        """Add what earlier processes of a resumed run have spent."""
        self._tally.add_earlier(spent)
        self._close_unless_payable(further_requests=1)

    def _close_unless_payable(self, further_requests: int) -> None:
        """Stop all spending if the open requests and further ones might exceed a limit."""
        refusal = self._tally.refusal(further_requests)
        if refusal:
            self.close(refusal)
