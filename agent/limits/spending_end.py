"""The end of a run's spending: its time is over, or another limit is reached.

For example, the limit of the dollars calls `declare("the run has spent $1.2, ...")`. From then
on each trial finds this `reason` before its next request, and is left open.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class SpendingEnd:
    """Whether a run may spend nothing more, and the first reason why. Used by many threads."""

    time_limit_s: float | None = None
    """Seconds that the run may take; None for no limit."""
    _reason: str = ""
    """The first reason; empty before it."""
    _started_at: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def reason(self) -> str:
        """Why nothing more may be spent; empty while spending is allowed.

        The end of the time is noticed here, and becomes the reason if there was none before.
        """
        if self.seconds_left <= 0:  # only if there is a limit of the time
            self.declare(
                f"the run's time of {self.time_limit_s:g} s is over (--run-time)"
            )
        return self._reason

    @property
    def seconds_left(self) -> float:
        """Seconds until the run's time is over; infinite without a limit."""
        if self.time_limit_s is None:
            return math.inf
        ends_at = self._started_at + self.time_limit_s
        return max(ends_at - time.monotonic(), 0.0)

    def declare(self, reason: str) -> None:
        """End all spending for a reason. If it has ended already, do nothing."""
        with self._lock:
            self._reason = self._reason or reason
