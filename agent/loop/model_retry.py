"""Repeats requests to a model after transient failures, such as a busy endpoint.

Three things limit the retries: the time for which a request is repeated, a number of
retries that the trials of a run share, and what the run may spend. If the endpoint asks for
a pause, all trials pause.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.spending import Spending
from controlplane.agent.loop.request_retries import RequestRetries
from controlplane.agent.loop.trial_wait import TrialWait
from controlplane.agent.model import Abandoned, ModelError, Reply, RetriesExhausted
from controlplane.agent.retry.retry_policy import RetryPolicy
from controlplane.agent.retry.run_budget import RetryBudget

FIRST_PAUSE_S: Final = 1.0
"""The first pause is a random time up to this. Later ones may be longer."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Retries requests to a model after transient failures, within limits."""

    wait_s: float = 300.0
    """Seconds from the first request until it gives up."""
    longest_pause_s: float = 30.0
    """The longest pause between two attempts, if the endpoint asks for none."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the reply is no longer wanted."""
    budget: RetryBudget = field(default_factory=RetryBudget)
    """The retries that all trials of the run share."""
    spending: Spending = field(default_factory=Spending)
    """What the run may spend. Once it is spent, there are no more retries."""

    def ask(
        self, request_reply: Callable[[], Reply], on_retry: Callable[[str], None]
    ) -> Reply:
        """Return what `request_reply` returns. After transient failures, call it again.

        `on_retry` gets a line about each further attempt. Raises:

        - `Abandoned` if the reply is no longer wanted
        - `LeftOpen` if the run has spent its budget
        - `RetriesExhausted` if the run has no retries left
        - the `ModelError` of the last attempt
          if it is permanent, or if the time is over
        """
        policy = RetryPolicy(self.wait_s, FIRST_PAUSE_S, self.longest_pause_s)
        retries = RequestRetries(policy, self.budget)  # decides when to give up
        wait = TrialWait(self.stop, self.spending, self.budget)  # pauses the trial
        while True:
            wait.wait_out_shared_pause()
            try:
                reply = request_reply()
            except ModelError as error:
                if not error.retryable:
                    raise
                wait_for_retry(error, retries, wait, on_retry)
            else:
                # A success gives the run one of its used retries back.
                self.budget.give_back()
                return reply


def wait_for_retry(
    error: ModelError,
    retries: RequestRetries,
    wait: TrialWait,
    on_retry: Callable[[str], None],
) -> None:
    """Wait until the next attempt after an error, or raise why the request is given up.

    `retries` counts the attempts, `wait` pauses the trial, and `on_retry` gets a line about
    the next attempt. Raises `Abandoned` if the trial is told to stop, even during the pause,
    `RetriesExhausted` if the run has no retries left, and else the last error, if the time
    is over or too many replies were malformed.
    """
    raise_if_stopped(error, wait)
    pause_s = retries.pause_after(error)
    if pause_s is None:
        raise retries.last_error(error) from None
    on_retry(f"{error}; asking again in {pause_s:.1f} s (try {retries.attempts})")
    wait.wait(pause_s)
    raise_if_stopped(error, wait)


def raise_if_stopped(error: ModelError, wait: TrialWait) -> None:
    """Raise `Abandoned`, with the text of the last error, if the trial is told to stop."""
    if not wait.was_stopped:
        return
    if isinstance(error, RetriesExhausted):
        raise error from None  # The run has no retries left, which ends more than this trial.
    raise Abandoned(str(error)) from None
