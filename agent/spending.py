"""Limits the dollars, tokens and seconds that a run spends.

A run should stop before a limit, but the cost of a request is known only when its reply
arrives. So each open request counts like the dearest reply so far. A run with a limit
first sends a single request, and waits for its reply.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field
from typing import Final

# Parts of the message about a limit in dollars that cannot be kept.
UNPRICED: Final = "the price of a reply is unknown"
PRICE_REMEDY: Final = (
    "give the model's --prices, or a limit in tokens (--max-tokens-run)"
)

ROUNDING_TOLERANCE: Final = 1e-9
"""The largest rounding error of a sum of dollars, as a share of the limit."""

TURN_POLL_S: Final = 0.02
"""Seconds between two checks whether a waiting request may be sent."""


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The limits of all trials of a run together. None means no limit."""

    cost_usd: float | None = None
    tokens: int | None = None
    time_s: float | None = None
    """Wall-clock seconds from the start of the run's main process."""


DOLLARS: Final = "${:.4g}"
TOKENS: Final = "{:,.0f} tokens"


@dataclass(slots=True)
class Meter:
    """Sums up amounts of one kind, such as dollars, and compares them with a limit."""

    limit: float | None
    """None for no limit."""
    amount_format: str = DOLLARS
    spent: float = 0.0
    largest: float = 0.0
    """The largest amount of one reply."""

    def add(self, amount: float) -> None:
        """Add the amount of one reply."""
        self.spent += amount
        self.largest = max(self.largest, amount)

    def is_used_up(self, requests: int) -> bool:
        """Return True if the limit is reached, or if `requests` more might exceed it.

        Each request counts like the largest reply so far. With a limit of 10, 6 spent and
        a largest reply of 2, two requests may be sent.
        """
        if self.limit is None:
            return False
        if self.spent >= self.limit:
            return True
        expected = self.spent + requests * self.largest
        return expected > self.limit * (1 + ROUNDING_TOLERANCE)

    @property
    def explanation(self) -> str:
        """Why no more may be spent: `has spent $1.2, which reaches its limit of $1`."""
        spent = self.amount_format.format(self.spent)
        limit = self.amount_format.format(self.limit)
        if self.limit is not None and self.spent >= self.limit:
            return f"has spent {spent}, which reaches its limit of {limit}"
        return f"has spent {spent}, and its next reply may pass its limit of {limit}"


@dataclass(slots=True)
class Spending:
    """The spending of a run. Once a limit is reached, no more requests are sent.

    Used from the threads of all trials. A trial calls `wait_for_turn` before a request to
    a model. When the journal records the request and its reply, the run calls
    `count_request` and `count_reply`.
    """

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    _stop_reason: str = ""
    _started_at: float = field(default_factory=time.monotonic)
    _cost: Meter = field(init=False)
    _tokens: Meter = field(init=False)
    _asking_trials: set[str] = field(default_factory=set)
    """The ids of the trials with an open request."""
    _has_reply: bool = False
    """True once a reply has shown what a reply may cost."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._cost = Meter(self.limits.cost_usd, DOLLARS)
        self._tokens = Meter(self.limits.tokens, TOKENS)

    # --- The end of all spending ---

    @property
    def stop_reason(self) -> str:
        """Why nothing more may be spent; empty while spending is allowed."""
        if self.seconds_left <= 0:
            self.close(
                f"the run's time of {self.limits.time_s:g} s is over (--run-time)"
            )
        return self._stop_reason

    @property
    def seconds_left(self) -> float:
        """Seconds until the run's time is over; infinite without a limit."""
        if self.limits.time_s is None:
            return math.inf
        ends_at = self._started_at + self.limits.time_s
        return max(ends_at - time.monotonic(), 0.0)

    def close(self, reason: str) -> None:
        """Stop all spending. A second reason is ignored."""
        with self._lock:
            self._stop_reason = self._stop_reason or reason

    def _close_at_limit(self, next_requests: int = 0) -> None:
        """Stop all spending if the open requests and the next ones might exceed a limit.

        Each of them may cost as much as the most expensive reply so far.
        """
        requests = len(self._asking_trials) + next_requests
        if self._cost.is_used_up(requests):
            self.close(f"the run {self._cost.explanation} (--run-cost)")
        if self._tokens.is_used_up(requests):
            self.close(f"the run {self._tokens.explanation} (--max-tokens-run)")

    # --- Requests and replies ---

    def take_over(
        self,
        cost_usd: float,
        tokens: int,
        *,
        dearest_usd: float = 0.0,
        most_tokens: int = 0,
    ) -> None:
        """Add what earlier processes of a resumed run have spent.

        `dearest_usd` and `most_tokens` are the cost of their most expensive reply, and the
        tokens of their longest one.
        """
        with self._lock:
            self._cost.spent += cost_usd
            self._cost.largest = max(self._cost.largest, dearest_usd)
            self._tokens.spent += tokens
            self._tokens.largest = max(self._tokens.largest, most_tokens)
            self._has_reply = self._has_reply or tokens > 0
        self._close_at_limit(next_requests=1)

    def wait_for_turn(self, trial_id: str, stop: threading.Event) -> bool:
        """Wait until a trial may send a request. Return False if `stop` was set before.

        The wait also ends when nothing more may be spent: check `stop_reason` next.
        """
        if self.limits.cost_usd is None and self.limits.tokens is None:
            return True
        while not self.stop_reason:
            if self._take_turn(trial_id):
                return True
            if stop.wait(TURN_POLL_S):
                return False
        return True

    def _take_turn(self, trial_id: str) -> bool:
        """Return True if a trial may ask now. Until the first reply, only one trial may."""
        with self._lock:
            if not self._has_reply and self._asking_trials - {trial_id}:
                return False
            self._asking_trials.add(trial_id)
            return True

    def count_request(self, trial_id: str) -> None:
        """Count a trial's request as open."""
        with self._lock:
            self._asking_trials.add(trial_id)
        self._close_at_limit()

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request. `cost_usd` is None if the price is unknown."""
        with self._lock:
            self._asking_trials.discard(trial_id)
            self._has_reply = True
            self._cost.add(cost_usd or 0.0)
            self._tokens.add(tokens)
        if cost_usd is None and self.limits.cost_usd is not None:
            self.close(f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}")
        self._close_at_limit(next_requests=1)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, because it ended without a reply."""
        with self._lock:
            self._asking_trials.discard(trial_id)
