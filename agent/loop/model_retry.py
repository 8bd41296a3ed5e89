"""Repeats requests to a model after transient failures, such as a busy endpoint.

The user is told of each further try. A permanent failure is not repeated:

    try 1: the endpoint is busy   -> "busy; asking again in 0.7 s (try 2)"
    try 2: a reply                -> it is returned
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.loop.session.trial_context import LeftOpen
from controlplane.agent.model import (
    Abandoned,
    BadReply,
    ModelError,
    Reply,
    RetriesExhausted,
)
from controlplane.agent.retry import RetryBudget, RetryPolicy, RunBudget, named_pause_s

# The errors with which a request to a model is given up, after some tries.
#
# Each has the text of the last error, and the reason why there is no further try. If the endpoint
# was busy seven times:
#
#     busy; given up at try 7: a step waits 300 s (--model-patience)
#
# Or if it asked for too long a pause:
#
#     busy; given up at try 1: the endpoint asks to wait 600 s, and a step waits 300 s in all (...)


def _no_time_left(
    error: ModelError, tries: int, limit_s: float, asked_s: float | None
) -> ModelError:
    """Return the error of a request that has no time for another try.

    `asked_s` is the pause for which the endpoint asks, if there was time for a shorter one.
    """
    if isinstance(error, RetriesExhausted):
        # A part of the model has retried, too, and used up the run's retries. It says so already.
        return error
    reason = f"a step waits {limit_s:g} s"
    if asked_s is not None:
        reason = f"the endpoint asks to wait {asked_s:g} s, and {reason} in all"
    text = f"{error}; given up at try {tries}: {reason} (--model-patience)"
    return ModelError(text, retryable=True, affects_all=error.affects_all)


def _too_many_bad_replies(error: ModelError, count: int) -> ModelError:
    """Return the error of a request whose replies were malformed this many times."""
    text = f"{error}; given up after {count} such replies"
    return ModelError(text, affects_all=error.affects_all)


def _no_retries_left(error: ModelError, budget: RetryBudget) -> RetriesExhausted:
    """Return the error of a request in a run that has used up all of its retries."""
    number = f"{budget.max_retries} retries"
    if budget.trials_at_a_time > 1:
        # The user has set the smaller number, and would look for it in vain.
        number += f", {budget.retries_per_trial} for each trial at a time"
    text = f"{error}; the run has used up its {number} (--model-retries)"
    return RetriesExhausted(text, retryable=True, affects_all=True)


# Decides whether a request to a model that failed is sent again, and after which pause.
#
# With a patience of 300 s (`--model-patience`), and 1,000 retries for the whole run:
#
#     plan_retry(ModelError("busy"))                     -> 0.3: pause 0.3 s, then try again
#     plan_retry(ModelError("busy", retry_after_s=20))   -> 20.4; all other trials pause, too
#     plan_retry(ModelError("busy")), after 300 s        raises "busy; given up at try 3: ..."

_MAX_BAD_REPLIES: Final = 5
"""A request ends after this many malformed replies."""
_MAX_SPREAD_S: Final = 0.5
"""Max random seconds added to a pause that the endpoint names."""


@dataclass(slots=True)
class _RequestRetries:
    """The retries of one request."""

    policy: RetryPolicy
    """How long the pauses are, and how many seconds the request may take (`limit_s`)."""
    run_retries: RetryBudget
    """The retries that all trials of the run share, and the pause that holds for all."""
    began_at: float = field(default_factory=time.monotonic)
    """The moment at which the request began."""
    tries: int = 1
    """The number of the current try, from 1."""
    bad_replies: int = 0
    """Tries that got a malformed reply."""

    def plan_retry(self, error: ModelError) -> float:
        """Count a try that failed, and return the seconds to pause before the next one.

        If there is no next try, raise an error that has the text of `error`, and the reason.
        """
        remaining_s = self.policy.limit_s - (time.monotonic() - self.began_at)

        # 1. The endpoint may name a pause. It holds for all trials, even if this one gives up.
        asked_s = named_pause_s(error)
        if asked_s is not None and remaining_s > 0:
            self.run_retries.pause(asked_s)
            # After the same pause, all would return at the same moment.
            asked_s += random.uniform(0, _MAX_SPREAD_S)

        # 2. The pause has to end before the time of the request does, or there is none.
        pause_s = self.policy.pause_s(self.tries, remaining_s, asked_s)
        if pause_s is None:
            too_long_s = named_pause_s(error) if remaining_s > 0 else None
            raise _no_time_left(error, self.tries, self.policy.limit_s, too_long_s)

        # 3. A model that has replied with nonsense a few times will hardly do better.
        if isinstance(error, BadReply):
            self.bad_replies += 1
            if self.bad_replies >= _MAX_BAD_REPLIES:
                raise _too_many_bad_replies(error, self.bad_replies)

        # 4. The next try is one of those that all trials of the run share.
        if not self.run_retries.use_retry():
            raise _no_retries_left(error, self.run_retries)
        self.tries += 1
        return pause_s


# The pauses between the tries of a request, which end early if the trial should stop.
#
# A trial pauses before it asks a busy endpoint again. It may have to wait even before its first
# try, because the endpoint has asked another trial for a pause, which holds for all:
#
#     trial t-1   the endpoint: "busy, come back in 20 s"   -> all trials of the run pause for 20 s
#     trial t-2   wants to send a request                   -> `wait_out_shared_pause` takes 20 s
#
# If the trial should stop, `Abandoned` ends its request. If the run has spent its budget, `LeftOpen`
# ends the trial, which can be resumed later.


@dataclass(frozen=True, slots=True)
class _RetryPauses:
    """Makes the pauses of one request."""

    stop: threading.Event
    """Set when the reply is no longer wanted, because the trial should stop."""
    run_budget: RunBudget
    """Has the pause that holds for all trials, and tells when the run may spend no more."""

    def wait_out_shared_pause(self) -> None:
        """Wait until the pause that an endpoint asked of all trials is over.

        Raises `Abandoned` if the reply is no longer wanted meanwhile.
        """
        while True:
            remaining_s = self.run_budget.retries.paused_s()
            if remaining_s <= 0:
                return
            self.wait(remaining_s)
            if self.stop.is_set():
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)

    def wait(self, seconds: float) -> None:
        """Wait, but return early if `stop` is set: the caller then asks whether it is.

        Raises `LeftOpen` if the run's budget is spent: the trial can be resumed later.
        """
        spending_end = self.run_budget.spending.end
        was_stopped = self.stop.wait(min(seconds, spending_end.seconds_left))
        if not was_stopped and spending_end.reason:
            raise LeftOpen(spending_end.reason)

    def raise_if_stopped(self, error: ModelError) -> None:
        """If the reply is no longer wanted, end the request instead of trying again.

        Called after a try that failed with `error`, and after the pause that follows. Raises
        `Abandoned` with the text of the error; or the error itself, if it says that the run has
        no retries left, because that ends the other trials, too.
        """
        if not self.stop.is_set():
            return
        if isinstance(error, RetriesExhausted):
            raise error from None
        raise Abandoned(str(error)) from None


_FIRST_PAUSE_S: Final = 1.0  # The first pause is a random time up to this.


@dataclass(frozen=True, slots=True)
class _RetriedReply:
    """A reply, and how long it took to come to the try that got it."""

    reply: Reply
    seconds_before: float
    """Seconds of the failed tries and the pauses before that try."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Retries requests to a model after transient failures, within limits."""

    patience_s: float = 300.0
    """Seconds from the first try of a request until it is given up."""
    longest_pause_s: float = 30.0
    """The longest pause between two tries, if the endpoint asks for none."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the reply is no longer wanted, because the trial should stop."""
    run_budget: RunBudget = field(default_factory=RunBudget)
    """What all trials of the run share: the retries, and what the run may spend."""

    def ask(
        self, request_reply: Callable[[], Reply], on_retry: Callable[[str], None]
    ) -> _RetriedReply:
        """Return what `request_reply` returns. After transient failures, call it again.

        `on_retry` gets a line about each further try. Raises `Abandoned` if the reply is no
        longer wanted, `LeftOpen` if the run may spend no more, or else a `ModelError`.
        """
        policy = RetryPolicy(self.patience_s, _FIRST_PAUSE_S, self.longest_pause_s)
        retries = _RequestRetries(policy, self.run_budget.retries)
        pauses = _RetryPauses(self.stop, self.run_budget)
        while True:
            pauses.wait_out_shared_pause()
            seconds_before = time.monotonic() - retries.began_at
            try:
                reply = request_reply()
            except ModelError as error:
                if not error.retryable:
                    raise
                pauses.raise_if_stopped(error)
                pause_s = retries.plan_retry(error)  # raises after the last try
                notice = f"{error}; asking again in {pause_s:.1f} s"
                on_retry(f"{notice} (try {retries.tries})")
                pauses.wait(pause_s)
                pauses.raise_if_stopped(error)
            else:
                self.run_budget.retries.give_back()  # one of those that the run has used
                return _RetriedReply(reply, seconds_before)
