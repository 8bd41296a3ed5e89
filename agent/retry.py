"""Decides whether a failed request is sent again, and after which pause.

A request to a model that fails for a moment, for example with 429, is sent again, and the user is
told of each try:

    try 1: the endpoint is busy   -> "busy; asking again in 0.7 s (try 2)"
    try 2: a reply                -> it is returned
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import mktime_tz, parsedate_tz
from typing import Final, Protocol

from controlplane.agent.limits.spending import LeftOpen, Spending
from controlplane.agent.model import (
    Abandoned,
    BadReply,
    ModelError,
    OutOfTime,
    Reply,
    RetriesExhausted,
    Unconnected,
)
from controlplane.sandbox.interface import bounds

# How long a server asks to wait, from the headers of its reply.
#
# retry-after-ms: 1500                          -> 1.5 s (OpenAI, Azure)
# retry-after: 90                               -> 90.0 s
# retry-after: Mon, 04 May 2026 12:01:30 GMT    -> 90.0 s, if `date` is 12:00:00

_SHORTEST_ASKED_PAUSE_S: Final = 0.05
"""A server's wish for a shorter pause, such as `Retry-After: 0`, is ignored."""


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


def named_pause_s(error: Exception) -> float | None:
    """Return the pause that an error names, because the server asked for it: 90.0; else None."""
    pause_s: float | None = getattr(error, "retry_after_s", None)
    if pause_s is None or pause_s < _SHORTEST_ASKED_PAUSE_S:
        return None
    return pause_s


# The pauses between the attempts of a call that is tried again: to a model, or to a benchmark.
#
# Pauses grow with each attempt, and are random, so that many callers do not ask again at the same
# moment.

_MAX_DOUBLINGS: Final = 30
"""The pause stops doubling here, because 2.0 ** 1024 overflows."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The time limit and the pauses of a retried call."""

    limit_s: float
    """Seconds from the start of the first attempt to the start of the last one."""
    first_pause_s: float
    """The upper bound of the first random pause in seconds. It doubles with each attempt."""
    longest_pause_s: float
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


# How long a request is sent again, and what says so.
#
#     a step waits 300 s (--model-patience)
#     a request in the role classify waits 5 s


@dataclass(frozen=True, slots=True)
class _Patience:
    """The seconds for which a request is sent again, and whose they are."""

    limit_s: float
    subject: str = "a step"
    option: str = "--model-patience"
    """The option that sets the number; empty if none does."""

    def text(self, remark: str = "") -> str:
        """Return why a request is given up: `a step waits 300 s in all (--model-patience)`."""
        option = f" ({self.option})" if self.option else ""
        return f"{self.subject} waits {self.limit_s:g} s{remark}{option}"

    def at_most(self, limit_s: float) -> _Patience:
        """Return this patience, or a shorter one that no option sets."""
        if limit_s >= self.limit_s:
            return self
        return _Patience(limit_s, self.subject, option="")


SHORT_PATIENCE_S: Final = 30.0
"""Seconds for which a run asks an endpoint that never replied and to which there is no connection: a
wrong address is more likely than a moment's failure. A question waits as long for its model. Both
unless the user has set another number."""


# What the trials of a run share: retries, a pause that holds for all, and the spending.
#
# If an endpoint asks one trial to wait, all of them wait, because they all ask it.


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """For how long, and how often, the failed requests of a run are sent again."""

    max_retries: int
    """The retries of the run (`--model-retries`), whichever trial needs them."""
    patience_s: float
    """Seconds for which a request is sent again (`--model-patience`)."""
    patience_s_by_role: Mapping[str, float] = field(default_factory=dict)
    """The same for the requests in a role, such as `grade`, if its model has its own number."""
    unconnected_s: float = math.inf
    """The same while there is no connection, and never was a reply to the run."""

    def patience_for(self, role: str) -> _Patience:
        """Return how long a request in a role is sent again."""
        subject = "a step" if role == "solve" else f"a request in the role {role}"
        return _Patience(self.patience_s_by_role.get(role, self.patience_s), subject)


class RetryBudget:
    """The retries that all trials of a run share, and a pause that holds for all.

    Each retry takes one from the budget, and each reply gives one back. So a run survives single
    failures for hours, but if an endpoint is down, the budget runs out, and the run stops asking.
    Used from many threads.
    """

    def __init__(self, limits: RetryLimits) -> None:
        self.limits = limits
        self.has_reply = False
        """True once a model has replied to any trial of the run."""
        self._remaining = limits.max_retries
        self._paused_until = 0.0
        """The end of the pause, a moment of `time.monotonic`."""
        self._lock = threading.Lock()

    def patience_after(self, error: ModelError, patience: _Patience) -> _Patience:
        """Return how long a request with this patience is sent again after this error.

        If there is no connection, and never was a reply, the address is wrong, or nothing runs there.
        """
        shorter_s = self.limits.unconnected_s
        is_unconnected = isinstance(error, Unconnected) and not self.has_reply
        if not is_unconnected or shorter_s >= patience.limit_s:
            return patience
        return replace(
            patience, limit_s=shorter_s, subject="a run that never had a reply"
        )

    def use_retry(self) -> bool:
        """Take one retry; return False if there was none left."""
        with self._lock:
            if self._remaining <= 0:
                return False
            self._remaining -= 1
            return True

    def note_reply(self) -> None:
        """Give one retry back, after a reply."""
        with self._lock:
            self.has_reply = True
            self._remaining = min(self._remaining + 1, self.limits.max_retries)

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

    retries: RetryBudget
    """The retries of requests to models, for all trials together."""
    spending: Spending
    """The dollars, tokens and seconds that the run may spend, and has spent."""


# Sends the requests of one trial to models, and sends them again while that may help.
#
# With a patience of 300 s, the first errors of a request, and what comes of them:
#
#     busy                                   a pause of 0.3 s, then try 2
#     busy, and asks to wait 20 s            a pause of 20.4 s; all other trials pause, too
#     busy, and asks to wait 600 s           "busy; given up at try 3: the endpoint asks to wait 600 s, ..."
#     the key is refused                     the same error: it would be refused again

_FIRST_PAUSE_S: Final = 1.0
"""The first pause is a random time up to this."""
_LONGEST_PAUSE_S: Final = 30.0
"""The longest pause between two tries, if the endpoint asks for none."""
_MAX_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause that the endpoint names."""
_MAX_BAD_REPLIES: Final = 5
"""A request ends after this many malformed replies."""
_LOOK_INTERVAL_S: Final = 0.2
"""Seconds between two looks, during a pause, whether the run has spent its budget."""
_TELL_INTERVAL_S: Final = 45.0
"""In a long pause, the user is told again after this many seconds. A run that hears nothing of a
trial for `bounds.TRIAL_SILENCE_S` may take it for stuck."""


class _Notice(Protocol):
    """Writes a notice for the user. `retry` is true if a request is sent again."""

    def __call__(self, text: str, *, retry: bool = False) -> None: ...


@dataclass(frozen=True, slots=True)
class TrialRetry:
    """Sends the requests of one trial, and sends them again while that may help."""

    budget: RunBudget
    """What all trials of the run share."""
    stop: threading.Event
    """Set when replies are no longer wanted, because the trial should stop."""
    exclude_time: Callable[[float], None]
    """Leaves seconds in which the trial only waited out of its used time."""
    notice: _Notice

    def reply_to(
        self, send: Callable[[], Reply], role: str, longest_wait_s: float
    ) -> Reply:
        """Return what `send` returns. After failures that may pass, call it again.

        Which failures may pass stands in `agent/endpoint/errors.toml`, such as 429 under `busy`.

        `role` is that of the request, such as `solve`. It is sent again for at most
        `longest_wait_s` seconds, and not longer than the settings say.

        Raises `Abandoned` if the reply is no longer wanted, `LeftOpen` if the run may spend no
        more, or else the `ModelError` of the last try, with the reason why there is no other.
        """
        retries = self.budget.retries
        patience = retries.limits.patience_for(role).at_most(longest_wait_s)
        began_at = time.monotonic()
        try_began_at = began_at
        tries = 0
        bad_replies = 0
        while True:
            # 1. An endpoint may have asked another trial for a pause, which holds for all.
            self._wait_out_shared_pause()
            # The failed try and the pauses before this one are not the trial's time.
            self.exclude_time(time.monotonic() - try_began_at)
            try_began_at = time.monotonic()
            tries += 1
            try:
                reply = send()
            except ModelError as failure:
                error = failure
            else:
                retries.note_reply()
                return reply

            # 2. The reply may be no longer wanted.
            self._raise_if_unwanted(error)
            if not error.retryable:
                raise error

            # 3. The endpoint may name a pause. It holds for all trials, even if this one gives up.
            patience_now = retries.patience_after(error, patience)
            remaining_s = patience_now.limit_s - (time.monotonic() - began_at)
            asked_s = named_pause_s(error)
            if asked_s is not None and remaining_s > 0:
                retries.pause(asked_s)
                # After the same pause, all would return at the same moment.
                asked_s += random.uniform(0, _MAX_SPREAD_S)

            # 4. The pause has to end before the time of the request does, or there is none.
            policy = RetryPolicy(patience_now.limit_s, _FIRST_PAUSE_S, _LONGEST_PAUSE_S)
            pause_s = policy.pause_s(tries, remaining_s, asked_s)
            if pause_s is None:
                reason = patience_now.text()
                if asked_s is not None and remaining_s > 0:
                    asks = f"the endpoint asks to wait {named_pause_s(error):g} s"
                    reason = f"{asks}, and {patience_now.text(' in all')}"
                msg = f"{error}; given up at try {tries}: {reason}"
                raise ModelError(msg, affects_all=error.affects_all)

            # 5. A model that has replied with nonsense a few times will hardly do better.
            if isinstance(error, BadReply):
                bad_replies += 1
                if bad_replies >= _MAX_BAD_REPLIES:
                    msg = f"{error}; given up after {bad_replies} such replies"
                    raise ModelError(msg, affects_all=error.affects_all)

            # 6. The next try is one of those that all trials of the run share.
            if not retries.use_retry():
                most = retries.limits.max_retries
                noun = "retry" if most == 1 else "retries"
                msg = (
                    f"{error}; the run has used up its {most} {noun} (--model-retries)"
                )
                raise RetriesExhausted(msg, affects_all=True)

            again = f"{error}; asking again in"
            self.notice(f"{again} {pause_s:.1f} s (try {tries + 1})", retry=True)
            self._wait(pause_s, again)
            self._raise_if_unwanted(error)

    def _wait_out_shared_pause(self) -> None:
        """Wait until the pause that an endpoint asked of all trials is over.

        Raises `Abandoned` if the reply is no longer wanted meanwhile.
        """
        again = "the model endpoint has asked all trials to wait; asking again in"
        is_told = False
        while True:
            remaining_s = self.budget.retries.paused_s()
            if remaining_s <= 0:
                return
            if not is_told and remaining_s > _MAX_SPREAD_S:
                self.notice(f"{again} {remaining_s:.1f} s")
                is_told = True
            self._wait(remaining_s, again)
            if self.stop.is_set():
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)

    def _wait(self, seconds: float, again: str) -> None:
        """Wait, but return early if `stop` is set: the caller then asks whether it is.

        If it takes long, the user is told `again` with the remaining seconds. Raises `LeftOpen`
        if the run's budget is spent: the trial can be resumed later.
        """
        end = self.budget.spending.end
        ends_at = time.monotonic() + seconds
        told_at = time.monotonic()
        while True:
            now = time.monotonic()
            if now >= ends_at:
                return
            if now >= told_at + _TELL_INTERVAL_S:
                told_at = now
                self.notice(f"{again} {ends_at - now:.0f} s")
            wait_s = min(ends_at - now, _LOOK_INTERVAL_S, end.seconds_left)
            if self.stop.wait(wait_s):
                return
            if end.reason:
                raise LeftOpen(end.reason)

    def _raise_if_unwanted(self, error: ModelError) -> None:
        """Raise instead of `error` what says that its request is no longer wanted, if so.

        `Abandoned` says that the trial was told to stop, `LeftOpen` that the run's budget is
        spent. An error that concerns this trial alone, and would come again, ends the trial.
        """
        may_pass = error.retryable or error.affects_all
        if may_pass and self.stop.is_set():
            raise Abandoned(str(error)) from None
        # The end of the run's time cuts a request off, as that of the trial's does.
        end_reason = self.budget.spending.end.reason
        if end_reason and (may_pass or isinstance(error, OutOfTime)):
            raise LeftOpen(end_reason) from None
