"""Limits the dollars, tokens and seconds that a run spends.

The cost of a request is known only when its reply arrives. So each *open* request, which has
no reply yet, counts like the dearest reply so far. With `--run-cost 10`, $6 spent and a dearest
reply of $2, two requests may be open. Before the first reply, only one trial asks.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.spending_stop import SpendingStop
from controlplane.agent.limits.spent_amounts import (
    EarlierSpending,
    SpendingLimits,
    SpentAmounts,
)

TURN_POLL_S: Final = 0.02
"""Seconds between two checks whether a waiting request may be sent."""


@dataclass(slots=True)
class Spending:
    """The spending of a run. Once a limit is reached, no more requests are sent.

    The threads of all trials share it. A trial calls these methods for each request:

    1. `wait_for_turn` before it sends the request
    2. `count_request` when the request is in the journal
    3. `count_reply` when the reply is in the journal, or `end_request` if none came
    """

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    """The dollars, tokens and seconds that the user allows."""
    _stop: SpendingStop = field(init=False)
    """Why the run may spend nothing more."""
    _spent: SpentAmounts = field(init=False)
    """The dollars and tokens of all replies."""
    _asking_trials: set[str] = field(init=False, default_factory=set)
    """The trials with an open request. A trial has at most one at a time."""
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    """Protects the two fields above it."""

    def __post_init__(self) -> None:
        self._stop = SpendingStop(self.limits.time_s)
        self._spent = SpentAmounts(self.limits)

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

        With `--run-cost 10`, in a new run:

        | `t-1` | `t-2` |
        |---|---|
        | `wait_for_turn("t-1")`: at once | |
        | sends its request | `wait_for_turn("t-2")`: waits, as no reply has shown what one costs |
        | `count_reply("t-1", 2.0, ...)` | the wait ends |

        The wait also ends if the run may spend nothing more. So check `stop_reason` next.
        """
        if not self.limits.has_amount_limit:
            return True
        while not self.stop_reason:
            if self._take_turn(trial_id):
                return True
            if stop.wait(TURN_POLL_S):
                return False
        return True

    def _take_turn(self, trial_id: str) -> bool:
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
        """Count a trial's request as open, and stop the run if it can't pay all open ones.

        A solver's request is open since its turn. Others, such as a grader's, take no turn.
        """
        with self._lock:
            self._asking_trials.add(trial_id)  # Now it is one of the open requests.
            self._close_unless_payable(further_requests=0)

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request, and stop the run if it can't pay one more.

        `cost_usd` is None if the price is unknown.
        """
        with self._lock:
            self._asking_trials.discard(trial_id)
            self._spent.add_reply(cost_usd, tokens)
            self._close_unless_payable(further_requests=1)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, which got no reply. Without one, do nothing."""
        with self._lock:
            self._asking_trials.discard(trial_id)

    def take_over(self, spent: EarlierSpending) -> None:
        """Add what earlier processes of a resumed run have spent."""
        with self._lock:
            self._spent.add_earlier(spent)
            self._close_unless_payable(further_requests=1)

    def _close_unless_payable(self, further_requests: int) -> None:
        """Stop all spending if the open requests and further ones might exceed a limit."""
        refusal = self._spent.refusal(len(self._asking_trials) + further_requests)
        if refusal:
            self.close(refusal)
