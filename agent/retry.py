"""Retries of calls after transient failures, and what they may use of a run."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import mktime_tz, parsedate_tz
from typing import Final, TypeVar

from controlplane.agent.limits.spending import Spending
from controlplane.sandbox.interface import bounds

# How long to pause before a call is repeated after a transient failure, and when to give up.
#
# A failure is transient if the same call may succeed later: the server was busy. Pauses grow with
# each attempt, and are random, so that many callers do not ask again at the same moment.

_MAX_DOUBLINGS: Final = 30
"""The pause stops doubling here, because 2.0 ** 1024 overflows."""

_SHORTEST_ASKED_PAUSE_S: Final = 0.05
"""A server's wish for a shorter pause, such as `Retry-After: 0`, is ignored."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The time limit and the pauses of a retried call."""

    limit_s: float
    """Seconds from the start of the first attempt to the start of the last one."""
    first_pause_s: float = 0.5
    """The upper bound of the first random pause in seconds. It doubles with each attempt."""
    longest_pause_s: float = 20.0
    """The upper bound of all random pauses."""

    def backoff_s(self, attempt: int) -> float:
        """Return the random pause in seconds after a failed attempt, counted from 1."""
        doublings = min(attempt - 1, _MAX_DOUBLINGS)
        upper_bound_s = min(self.first_pause_s * 2.0**doublings, self.longest_pause_s)
        return random.uniform(0, upper_bound_s)

    def pause_s(
        self, attempt: int, remaining_s: float, asked_s: float | None
    ) -> float | None:
        """Return the pause before the next attempt; None if no time is left for it.

        `asked_s` is the pause that the server asks for; None if it does not.
        """
        if remaining_s <= 0:
            return None
        if asked_s is None:
            return min(self.backoff_s(attempt), remaining_s)
        return asked_s if asked_s <= remaining_s else None


def named_pause_s(error: Exception) -> float | None:
    """Return the pause that an error names, because the server asked for it: 90.0; else None."""
    pause_s: float | None = getattr(error, "retry_after_s", None)
    if pause_s is None or pause_s < _SHORTEST_ASKED_PAUSE_S:
        return None
    return pause_s


# Repeats a call after transient failures, with pauses, until a time limit.
#
# A failure is transient if the same call may succeed later: the server was busy. A `RetryPolicy`
# has the time limit, and says how long each pause is.

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that failed transiently, and the pause that follows it."""

    error: Exception
    pause_s: float


def call_with_retry(
    call: Callable[[], Result],
    policy: RetryPolicy,
    *,
    is_transient: Callable[[Exception], bool],
    pause: Callable[[FailedAttempt], bool],
) -> Result:
    """Return the result of `call`, repeating it after transient failures.

    Raises the last failure if it is permanent, if no time is left, or if `pause` returns True.

    Args:
        call: The call without arguments.
        policy: The time limit and the pauses.
        is_transient: Returns whether another attempt may succeed after this error.
        pause: Waits before the next attempt. Returns True if there should be no further one,
            for example because the run was told to stop.
    """
    started_at = time.monotonic()
    attempt = 0
    while True:
        attempt += 1
        try:
            return call()
        except Exception as error:
            if not is_transient(error):
                raise
            remaining_s = policy.limit_s - (time.monotonic() - started_at)
            pause_s = policy.pause_s(attempt, remaining_s, named_pause_s(error))
            if pause_s is None:
                raise  # No time is left.
            is_ended = pause(FailedAttempt(error, pause_s))
            if is_ended:
                raise


# Reads how long a server asks to wait, from the headers of its reply.
#
# retry-after-ms: 1500                          -> 1.5 s (OpenAI, Azure)
# retry-after: 90                               -> 90.0 s
# retry-after: Mon, 04 May 2026 12:01:30 GMT    -> 90.0 s, if `date` is 12:00:00


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait; None if it does not say."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1000, bounds.LONGEST_S)

    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return min(seconds, bounds.LONGEST_S)

    wait_until = _timestamp(value)
    if wait_until is None:
        return None
    now = _timestamp(headers.get("date", ""))  # The server's clock may be wrong.
    if now is None:
        now = time.time()
    return min(max(wait_until - now, 0.0), bounds.LONGEST_S)


def _number(value: str) -> float | None:
    """Return a number that begins with a digit; None for other texts, such as `-1` and `inf`."""
    if not value.strip()[:1].isdecimal():
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _timestamp(value: str) -> float | None:
    """Return the Unix timestamp of an HTTP date; None for any other text."""
    try:
        parsed = parsedate_tz(value)
        if parsed is None:
            return None
        return float(mktime_tz(parsed))
    except (ValueError, OverflowError):
        return None


# What the trials of a run share: retries, a pause that holds for all, and the spending.
#
# If an endpoint asks one trial to wait, all of them wait, because they all ask it.

_DEFAULT_MAX_RETRIES: Final = 1000
"""The retries of a run whose settings name no other number."""


class RetryBudget:
    """The retries that all trials of a run share, and a pause that holds for all.

    Each retry takes one from the budget, and each success gives one back. So a run survives
    single failures for hours, but if an endpoint is down, the budget runs out, and the run
    stops asking. Used from many threads.
    """

    def __init__(
        self, retries_per_trial: int = _DEFAULT_MAX_RETRIES, trials_at_a_time: int = 1
    ) -> None:
        self.retries_per_trial = retries_per_trial
        """The number that the user has set: for each trial that is played at a time."""
        self.trials_at_a_time = trials_at_a_time
        self.max_retries = retries_per_trial * trials_at_a_time
        """The retries of the run, whichever trial needs them."""
        self._remaining = self.max_retries
        self._paused_until = 0.0
        """The end of the pause, a moment of `time.monotonic`."""
        self._lock = threading.Lock()

    def use_retry(self) -> bool:
        """Take one retry; return False if there was none left."""
        with self._lock:
            if self._remaining <= 0:
                return False
            self._remaining -= 1
            return True

    def give_back(self) -> None:
        """Give one retry back, after a success."""
        with self._lock:
            self._remaining = min(self._remaining + 1, self.max_retries)

    def pause(self, seconds: float) -> None:
        """Ask all trials to wait this many seconds before their next call."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def paused_s(self) -> float:
        """Return how many seconds of the pause are left; 0 if there is none."""
        with self._lock:
            return max(self._paused_until - time.monotonic(), 0.0)


@dataclass(frozen=True, slots=True)
class RunBudget:
    """The retries and the spending of a run. Used from many threads at once."""

    retries: RetryBudget = field(default_factory=RetryBudget)
    """The retries of requests to models, for all trials together."""
    spending: Spending = field(default_factory=Spending)
    """The dollars, tokens and seconds that the run may spend, and has spent."""
