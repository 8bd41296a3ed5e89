"""Retries transient failures within a time limit, honours Retry-After, and says what the code of a failure means; keeps
a run within its owner's limits: dollars, tokens, time and retries. Used from many threads at once.

Until its own reply arrives, a request counts as much as the dearest reply so far, so that a run stops before its
limit and not beyond it. The first request goes alone, because no reply shows yet what one takes.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import mktime_tz, parsedate_tz
from typing import Final, TypeVar

from controlplane.sandbox.interface import bounds, error_codes

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on the time that a call is retried, and on the pauses."""

    limit_s: float
    """Seconds from the first attempt to the start of the last one."""
    first_pause_s: float = 0.5
    """Upper bound of the first random pause in seconds; it doubles with each further one."""
    longest_pause_s: float = 20.0

    def backoff_s(self, attempt: int) -> float:
        """Return the pause after the failed attempt of this number, counted from 1."""
        most_s = self.first_pause_s * 2.0 ** min(attempt - 1, 30)
        return random.uniform(0, min(most_s, self.longest_pause_s))


def named_pause_s(error: Exception) -> float | None:
    """Return the pause that a server asks for in `retry_after_s`; None if there is none, or if it is under 0.05 s."""
    named_s: float | None = getattr(error, "retry_after_s", None)
    return None if named_s is None or named_s < 0.05 else named_s


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that failed transiently, and the pause that follows it."""

    error: Exception
    number: int
    """Counted from 1."""
    pause_s: float


def call_with_retry(
    call: Callable[[], Result],
    policy: RetryPolicy,
    *,
    is_transient: Callable[[Exception], bool],
    pause: Callable[[FailedAttempt], bool],
    asked_pause_s: Callable[[Exception], float | None] = named_pause_s,
    excluded_s: Callable[[], float] = lambda: 0.0,
) -> Result:
    """Return what `call` returns; retry failures that are transient. Raises the last failure when the retries end.

    `pause` waits, and returns True if the result is no longer wanted; it may raise to end the retries.
    `asked_pause_s` returns the pause that a failure asks for, None to leave it to the policy. `excluded_s` returns the
    seconds that do not count towards the limit.
    """
    began, number = time.monotonic(), 0
    while True:
        number += 1
        try:
            return call()
        except Exception as error:
            if not is_transient(error):
                raise
            left_s = policy.limit_s - (time.monotonic() - began - excluded_s())
            pause_s = asked_pause_s(error)
            if left_s <= 0 or (pause_s is not None and pause_s > left_s):
                raise
            if pause_s is None:
                pause_s = min(policy.backoff_s(number), left_s)
            if pause(FailedAttempt(error, number, pause_s)):
                raise


class RetryBudget:
    """The retries that all trials of a run share, and the time until which a server asked all of them to wait.

    Every retry costs one, and every success gives one back up to the bound: a run copes with an endpoint that fails
    often, and does not hammer one that is down.
    """

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._left = bound
        self._paused_until = 0.0
        self._lock = threading.Lock()

    def use_retry(self) -> bool:
        """Take one retry; return whether there was one left."""
        with self._lock:
            self._left -= 1
            return self._left >= 0

    def give_back(self) -> None:
        """Count one success."""
        with self._lock:
            self._left = min(max(self._left, 0) + 1, self.bound)

    def pause(self, seconds: float) -> None:
        """Block calls for this many seconds."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def paused_s(self) -> float:
        """Return the seconds for which calls are blocked; 0 if they are not."""
        with self._lock:
            return max(self._paused_until - time.monotonic(), 0.0)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a `Retry-After` header, given in seconds or as a date, or of OpenAI's and Azure's
    `retry-after-ms`; None if there are none.

    A date counts from the server's own `Date`, if it sends one, because the clocks here and there may differ.
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return min(milliseconds / 1000, bounds.LONGEST_S)
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is None and (until := _moment(value)) is not None:
        began = _moment(headers.get("date", ""))
        seconds = until - (time.time() if began is None else began)
    return None if seconds is None else min(max(seconds, 0.0), bounds.LONGEST_S)


def _number(value: str) -> float | None:
    """Return a number that begins with a digit; None for any other text."""
    with suppress(ValueError):
        return float(value) if value.strip()[:1].isdecimal() else None
    return None


def _moment(value: str) -> float | None:
    try:
        parsed = parsedate_tz(value)
        return mktime_tz(parsed) if parsed else None
    except (ValueError, OverflowError):
        return None


@dataclass(frozen=True, slots=True)
class Failure:
    """The meaning of a failed call's code."""

    transient: bool = False
    """Another attempt may succeed."""
    in_doubt: bool = False
    """The call may have happened nevertheless."""
    fails_all: bool = False
    """Every other trial would fail the same way."""

    @property
    def is_tooling(self) -> bool:
        """Say whether the environment failed rather than the request being wrong."""
        return self.transient or self.in_doubt

    @property
    def is_unreachable(self) -> bool:
        """Say whether the server was never reached."""
        return self.transient and self.fails_all


_NO, _YES = False, True
_TABLE: Final = {
    # code                                transient, in doubt, fails every trial
    error_codes.UNAVAILABLE: Failure(_YES, _NO, _YES),
    error_codes.RESOURCE_EXHAUSTED: Failure(_YES, _NO, _YES),
    error_codes.DEADLINE_EXCEEDED: Failure(_YES, _YES, _YES),
    error_codes.ABORTED: Failure(_YES, _NO, _NO),
    error_codes.INTERNAL: Failure(_YES, _YES, _NO),
    error_codes.CANCELED: Failure(_YES, _YES, _NO),
    error_codes.UNKNOWN: Failure(_NO, _YES, _NO),
    error_codes.DATA_LOSS: Failure(_NO, _YES, _NO),
    error_codes.UNAUTHENTICATED: Failure(_NO, _NO, _YES),
    error_codes.PERMISSION_DENIED: Failure(_NO, _NO, _YES),
    error_codes.UNIMPLEMENTED: Failure(_NO, _NO, _YES),
}


def failure_of(code: str) -> Failure:
    """Return what `code` means; a code that is not in the table says that the request was wrong."""
    return _TABLE.get(code, Failure())


def may_yet_succeed(code: str) -> bool:
    """Say whether the same call may succeed later, by itself or with another key."""
    return failure_of(code).is_tooling or code == error_codes.UNAUTHENTICATED


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
        return self.spent >= self.limit or self.spent + under_way * self.most > self.limit * (
            1 + 1e-9
        )

    def spent_text(self, amount: str) -> str:
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

    def take_over(
        self, cost_usd: float, tokens: int, *, dearest_usd: float = 0.0, most_tokens: int = 0
    ) -> None:
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
            self.close(f"the run {cost.spent_text('${:.4g}')} (--run-cost)")
        if tokens.is_used_up(under_way):
            self.close(f"the run {tokens.spent_text('{:,.0f} tokens')} (--max-tokens-run)")


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
            self.used_up = f"the trial {self._cost.spent_text('${:.4g}')} (--trial-cost)"


@dataclass(frozen=True, slots=True)
class RunBudget:
    """The limits of a whole run, with what is left of each. Used from many threads at once."""

    retries: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """Retries of requests to the model that all trials have together, beyond one for every reply."""
    spending: Spending = field(default_factory=Spending)
    """Dollars, tokens and seconds."""
