"""Asks a model again where it failed in passing: as long as a step may wait, as often as a run may ask in vain.

A pause that the endpoint names holds for every trial of the run.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import tenacity

from agent.model.model_protocol import Abandoned, ModelError, Reply, RetriesExhausted

FIRST_PAUSE_S: Final = 1.0
"""The first pause is random up to so many seconds, each further one up to twice as many."""
SPREAD_S: Final = 0.5
"""Trials that wait for the same moment come back spread over so many seconds."""


class RetryBudget:
    """What all trials of a run share: how often more it may ask in vain, and until when it was told to wait.

    Every retry costs one, every reply gives one back up to the bound, so that a run lives with an endpoint that fails
    often, and does not hammer one that is down.
    """

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._left = bound
        self._held_until = 0.0
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Take one retry; return whether there was one left."""
        with self._lock:
            self._left -= 1
            return self._left >= 0

    def give_back(self) -> None:
        """Count one reply."""
        with self._lock:
            self._left = min(max(self._left, 0) + 1, self.bound)

    def hold(self, seconds: float) -> None:
        """Let nobody ask for so long."""
        with self._lock:
            self._held_until = max(self._held_until, time.monotonic() + seconds)

    def held_s(self) -> float:
        """Return for how long nobody may ask, 0 where everybody may."""
        with self._lock:
            return max(self._held_until - time.monotonic(), 0.0)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a step waits for a model that fails in passing."""

    wait_s: float = 300.0
    """Seconds from the first request to giving up."""
    longest_pause_s: float = 30.0
    """Seconds of the longest pause between two tries, where the endpoint does not name one itself."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where nobody wants the reply any more."""
    retries: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """The run's."""

    def ask(self, ask: Callable[[], Reply], on_retry: Callable[[str], None]) -> Reply:
        """Return what `ask` returns. Raises the last `ModelError` where it is not retryable or patience runs out."""
        pause = tenacity.wait_random_exponential(multiplier=FIRST_PAUSE_S, max=self.longest_pause_s)

        def try_once() -> Reply:
            self._wait_until_allowed()
            reply = ask()
            self.retries.give_back()
            return reply

        def wait_s(state: tenacity.RetryCallState) -> float:
            named = _error_of(state).retry_after_s
            if not named:
                return pause(state)
            self.retries.hold(named)
            return named + random.uniform(0, SPREAD_S)

        def tell(state: tenacity.RetryCallState) -> None:
            on_retry(
                f"{_error_of(state)}; asking again in {state.upcoming_sleep:.1f} s (try {state.attempt_number + 1})"
            )

        def sleep(seconds: float) -> None:
            if self.stop.wait(seconds):
                msg = "stopped while the model endpoint was failing"
                raise Abandoned(msg, retryable=False)

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, ModelError) and error.retryable),
            stop=self._gives_up,
            wait=wait_s,
            sleep=sleep,
            before_sleep=tell,
            reraise=True,
        )
        return retrying(try_once)

    def _gives_up(self, state: tenacity.RetryCallState) -> bool:
        """Return False to try again. Raises `ModelError` with the bound that was reached, or `Abandoned`."""
        error = _error_of(state)
        if self.stop.is_set():
            raise Abandoned(str(error), retryable=False) from None
        if (state.seconds_since_start or 0.0) + state.upcoming_sleep > self.wait_s:
            msg = f"{error}; given up at try {state.attempt_number}: a step waits {self.wait_s:g} s (--model-patience)"
        elif not self.retries.take():
            msg = f"{error}; the run has used up its {self.retries.bound} retries (--model-retries)"
            raise RetriesExhausted(msg, retryable=True, affects_all=True) from None
        else:
            return False
        raise ModelError(msg, retryable=True, affects_all=error.affects_all) from None

    def _wait_until_allowed(self) -> None:
        while (held_s := self.retries.held_s()) > 0:
            if self.stop.wait(held_s):
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg, retryable=False)


def _error_of(state: tenacity.RetryCallState) -> ModelError:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, ModelError)
    return error
