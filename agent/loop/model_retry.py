"""Repeats requests to a model after transient failures, such as a busy endpoint.

    try 1: the endpoint is busy   -> "busy; asking again in 0.7 s (try 2)"
    try 2: the endpoint is busy   -> "busy; asking again in 1.6 s (try 3)"
    try 3: a reply                -> it is returned

Three things limit the retries: the time for which a request is repeated, a number of
retries that the trials of a run share, and what the run may spend. If the endpoint asks for
a pause, all trials pause.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.loop.request_retries import RequestRetries
from controlplane.agent.loop.session.trial_context import LeftOpen
from controlplane.agent.model import Abandoned, ModelError, Reply, RetriesExhausted
from controlplane.agent.retry.retry_policy import RetryPolicy
from controlplane.agent.retry.run_budget import RunBudget

FIRST_PAUSE_S: Final = 1.0
"""The first pause is a random time up to this. Later ones may be longer."""


@dataclass(frozen=True, slots=True)
class RetriedReply:
    """A reply, and how long it took to come to the try that got it."""

    reply: Reply
    seconds_before: float
    """Seconds of the failed tries and the pauses before the last try."""


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
    """What all trials of the run share: the retries, the pauses that endpoints ask for, and what
    the run may spend. Once it is spent, there are no more retries."""

    def ask(
        self, request_reply: Callable[[], Reply], on_retry: Callable[[str], None]
    ) -> RetriedReply:
        """Return what `request_reply` returns. After transient failures, call it again.

        `on_retry` gets a line about each further try. Raises:

        - `Abandoned` if the reply is no longer wanted
        - `LeftOpen` if the run has spent its budget
        - `RetriesExhausted` if the run has no retries left
        - the `ModelError` of the last try
          if it is permanent, or if the time is over
        """
        policy = RetryPolicy(self.patience_s, FIRST_PAUSE_S, self.longest_pause_s)
        retries = RequestRetries(policy, self.run_budget.retries)
        while True:
            self._wait_out_shared_pause()
            seconds_before = time.monotonic() - retries.began_at
            try:
                reply = request_reply()
            except ModelError as error:
                if not error.retryable:
                    raise
                self._wait_for_retry(error, retries, on_retry)
            else:
                # A success gives the run one of its used retries back.
                self.run_budget.retries.give_back()
                return RetriedReply(reply, seconds_before)

    def _wait_out_shared_pause(self) -> None:
        """Wait until the pause that an endpoint asked of all trials is over.

        Raises `Abandoned` if the reply is no longer wanted meanwhile.
        """
        while True:
            remaining_s = self.run_budget.retries.paused_s()
            if remaining_s <= 0:
                return
            self._wait(remaining_s)
            if self.stop.is_set():
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)

    def _wait_for_retry(
        self,
        error: ModelError,
        retries: RequestRetries,
        on_retry: Callable[[str], None],
    ) -> None:
        """Wait until the next try after an error. Raises an error if there is none.

        This is the error of `retries.plan_retry`, which says why the request is given up,
        or `Abandoned` if the reply is no longer wanted, before the pause or after it.
        """
        self._raise_if_stopped(error)
        pause_s = retries.plan_retry(error)
        on_retry(f"{error}; asking again in {pause_s:.1f} s (try {retries.tries})")
        self._wait(pause_s)
        self._raise_if_stopped(error)

    def _raise_if_stopped(self, error: ModelError) -> None:
        """Raise `Abandoned`, with the text of the last error, if the reply is not wanted."""
        if not self.stop.is_set():
            return
        if isinstance(error, RetriesExhausted):
            raise error from None  # The run has no retries left, which ends more than this trial.
        raise Abandoned(str(error)) from None

    def _wait(self, seconds: float) -> None:
        """Wait, but return early if `stop` is set.

        Raises `LeftOpen` if the run's budget is spent: the trial can be resumed later.
        """
        spending_end = self.run_budget.spending.end
        was_stopped = self.stop.wait(min(seconds, spending_end.seconds_left))
        if not was_stopped and spending_end.reason:
            raise LeftOpen(spending_end.reason)
