"""Keeps a run within its owner's limits: dollars, tokens, time and retries. Used from many threads at once.

Until its own reply arrives, a request counts as much as the dearest reply so far, so that a run stops before its
limit and not beyond it. The first request goes alone, because no reply shows yet what one takes.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from agent.retry.retry_policy import RetryBudget

UNPRICED: Final = "the price of a reply is unknown"
PRICE_REMEDY: Final = "give the model's --prices, or a limit in tokens (--max-tokens-run)"


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """Limit for all trials of a run together. None: no limit."""

    cost_usd: float | None = None
    tokens: int | None = None
    time_s: float | None = None
    """Wall-clock seconds from the start of the process that conducts the run."""
    trial_cost_usd: float | None = None
    """Limit for each trial."""


@dataclass(slots=True)
class _Meter:
    limit: float | None
    spent: float = 0.0
    most: float = 0.0
    """The largest amount that one reply took."""

    def add(self, amount: float) -> None:
        self.spent += amount
        self.most = max(self.most, amount)

    def is_used_up(self, under_way: int) -> bool:
        if self.limit is None:
            return False
        # Sums of dollars are a little off.
        return self.spent >= self.limit or self.spent + under_way * self.most > self.limit * (1 + 1e-9)

    def told(self, amount: str) -> str:
        """Return what was spent, and why no more may be; `amount` is the form of an amount."""
        limit, spent = amount.format(self.limit), amount.format(self.spent)
        if self.limit is not None and self.spent >= self.limit:
            return f"has spent {spent}, which reaches its limit of {limit}"
        return f"has spent {spent}, and its next reply may pass its limit of {limit}"


@dataclass(slots=True)
class Spending:
    """Spending of a run. Once a limit is reached, it stays reached."""

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    _reason: str = ""
    _began: float = field(default_factory=time.monotonic)
    _cost: _Meter = field(init=False)
    _tokens: _Meter = field(init=False)
    _asking: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _has_reply: bool = False

    def __post_init__(self) -> None:
        self._cost = _Meter(self.limits.cost_usd)
        self._tokens = _Meter(self.limits.tokens)

    @property
    def used_up(self) -> str:
        """The reason why nothing more may be spent, or an empty string."""
        if self.seconds_left <= 0:
            self.close(f"the run's time of {self.limits.time_s:g} s is over (--run-time)")
        return self._reason

    @property
    def seconds_left(self) -> float:
        """Seconds until the run's time is over, at least 0; infinite without a limit."""
        limit_s = math.inf if self.limits.time_s is None else self.limits.time_s
        return max(self._began + limit_s - time.monotonic(), 0.0)

    def close(self, reason: str) -> None:
        """Stop all spending; the first reason is kept."""
        with self._lock:
            self._reason = self._reason or reason

    def take_over(self, cost_usd: float, tokens: int, *, dearest_usd: float = 0.0, most_tokens: int = 0) -> None:
        """Count the spending of the run's earlier processes, with their dearest and their longest reply."""
        with self._lock:
            self._cost.spent += cost_usd
            self._cost.most = max(self._cost.most, dearest_usd)
            self._tokens.spent += tokens
            self._tokens.most = max(self._tokens.most, most_tokens)
            self._has_reply = tokens > 0
        self._check(more=1)

    def wait_for_turn(self, trial_id: str, stop: threading.Event) -> bool:
        """Wait until a request can be reckoned, or is the only one under way; return False if stopped while waiting."""
        is_limited = (self.limits.cost_usd, self.limits.tokens) != (None, None)
        while is_limited and not self.used_up:
            with self._lock:
                if self._has_reply or self._asking <= {trial_id}:
                    self._asking.add(trial_id)
                    return True
            if stop.wait(0.02):
                return False
        return True

    def count_request(self, trial_id: str) -> None:
        """Note that a trial asks the model."""
        with self._lock:
            self._asking.add(trial_id)
        self._check()

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request; `cost_usd` is None if its price is unknown."""
        with self._lock:
            self._asking.discard(trial_id)
            self._has_reply = True
            self._cost.add(cost_usd or 0.0)
            self._tokens.add(tokens)
        if cost_usd is None and self.limits.cost_usd is not None:
            self.close(f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}")
        self._check(more=1)

    def end_request(self, trial_id: str) -> None:
        """Note that a trial has stopped asking."""
        with self._lock:
            self._asking.discard(trial_id)

    def _check(self, more: int = 0) -> None:
        """Stop all spending if the requests under way and `more` others would exceed a limit."""
        cost, tokens, under_way = self._cost, self._tokens, len(self._asking) + more
        if cost.is_used_up(under_way):
            self.close(f"the run {cost.told('${:.4g}')} (--run-cost)")
        if tokens.is_used_up(under_way):
            self.close(f"the run {tokens.told('{:,.0f} tokens')} (--max-tokens-run)")


@dataclass(slots=True)
class TrialSpending:
    """Spending of one trial against its limit. Used by one thread at a time."""

    limit_usd: float | None = None
    used_up: str = ""
    """The reason why nothing more may be spent, or an empty string."""
    _cost: _Meter = field(init=False)

    def __post_init__(self) -> None:
        self._cost = _Meter(self.limit_usd)

    def count_reply(self, cost_usd: float | None) -> None:
        """Count one reply; `cost_usd` is None if its price is unknown."""
        if self.limit_usd is None:
            return
        self._cost.add(cost_usd or 0.0)
        if cost_usd is None:
            self.used_up = f"{UNPRICED}, so --trial-cost cannot be kept; {PRICE_REMEDY}"
        elif self._cost.is_used_up(under_way=1):
            self.used_up = f"the trial {self._cost.told('${:.4g}')} (--trial-cost)"


@dataclass(frozen=True, slots=True)
class RunBudget:
    """The limits of a whole run, with what is left of each. Used from many threads at once."""

    retries: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """Retries of requests to the model that all trials have together, beyond one for every reply."""
    spending: Spending = field(default_factory=Spending)
    """Dollars, tokens and seconds."""
