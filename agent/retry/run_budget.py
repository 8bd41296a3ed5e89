"""What the trials of a run share: retries, a pause that holds for all, and the spending.

If an endpoint asks one trial to wait, all of them wait, because they all ask it.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.spending import Spending

DEFAULT_MAX_RETRIES: Final = 1000
"""The retries of a run whose settings name no other number."""


class RetryBudget:
    """The retries that all trials of a run share, and a pause that holds for all.

    Each retry takes one from the budget, and each success gives one back. So a run survives
    single failures for hours, but if an endpoint is down, the budget runs out, and the run
    stops asking. Used from many threads.
    """

    def __init__(self, max_retries: int = DEFAULT_MAX_RETRIES) -> None:
        self.max_retries = max_retries
        self._remaining = max_retries
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
