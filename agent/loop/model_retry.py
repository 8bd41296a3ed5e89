"""Repeats requests to a model after transient failures, such as a busy endpoint.

The user is told of each further try. A permanent failure is not repeated:

    try 1: the endpoint is busy   -> "busy; asking again in 0.7 s (try 2)"
    try 2: a reply                -> it is returned
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.loop.request_retries import RequestRetries
from controlplane.agent.loop.retry_pauses import RetryPauses
from controlplane.agent.model import ModelError, Reply
from controlplane.agent.retry.retry_policy import RetryPolicy
from controlplane.agent.retry.run_budget import RunBudget

FIRST_PAUSE_S: Final = 1.0  # The first pause is a random time up to this.


@dataclass(frozen=True, slots=True)
class RetriedReply:
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
    ) -> RetriedReply:
        """Return what `request_reply` returns. After transient failures, call it again.

        `on_retry` gets a line about each further try. Raises `Abandoned` if the reply is no
        longer wanted, `LeftOpen` if the run may spend no more, or else a `ModelError`.
        """
        policy = RetryPolicy(self.patience_s, FIRST_PAUSE_S, self.longest_pause_s)
        retries = RequestRetries(policy, self.run_budget.retries)
        pauses = RetryPauses(self.stop, self.run_budget)
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
                return RetriedReply(reply, seconds_before)
