"""Asks a model again where it failed in passing, for as long as a trial may wait, or until it is told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import tenacity

from agent.model import ModelError, Reply


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a trial waits for a model that fails in passing."""

    wait_s: float = 300.0
    """Seconds from the first failure to giving up."""
    longest_pause_s: float = 30.0
    """Seconds of the longest pause between two tries, where the endpoint does not name one itself."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where nobody wants the reply any more."""

    def ask(self, ask: Callable[[], Reply], on_retry: Callable[[str], None]) -> Reply:
        """Return what `ask` returns. Raises the last `ModelError` where it is not retryable or patience runs out."""
        pause = tenacity.wait_exponential_jitter(initial=0.5, max=self.longest_pause_s)

        def wait_s(state: tenacity.RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            named = error.retry_after_s if isinstance(error, ModelError) else None
            return named if named is not None else pause(state)

        def tell(state: tenacity.RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            on_retry(f"{error}; asking again in {state.upcoming_sleep:.1f} s (try {state.attempt_number + 1})")

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, ModelError) and error.retryable),
            stop=tenacity.stop_any(tenacity.stop_before_delay(self.wait_s), tenacity.stop_when_event_set(self.stop)),
            wait=wait_s,
            sleep=tenacity.sleep_using_event(self.stop),
            before_sleep=tell,
            reraise=True,
        )
        return retrying(ask)
