"""Keeps one trial from taking the parent's interpreter for itself: beyond a burst, it gets a share of one core."""

from __future__ import annotations

import time
from typing import Final

SHARE: Final = 0.15
"""Of one core, what serving one trial may take in the long run: other trials have the interpreter for the rest."""
BURST_S: Final = 0.3
"""CPU seconds that may be taken at once; a whole ordinary trial takes less."""
DEBT_S: Final = 0.03
"""CPU seconds beyond what there is that may be taken before a wait: a few long waits disturb the others less than a
short one after each call."""
LONGEST_WAIT_S: Final = 1.0


class CpuShare:
    """What one trial may take. Used by one thread at a time."""

    def __init__(self) -> None:
        self._left_s = BURST_S
        self._at = time.monotonic()

    def take(self, cpu_s: float) -> None:
        """Note CPU seconds that were taken, and wait if they are too many more than there were."""
        now = time.monotonic()
        self._left_s = min(BURST_S, self._left_s + SHARE * (now - self._at)) - cpu_s
        self._at = now
        if self._left_s < -DEBT_S:
            time.sleep(min(-self._left_s / SHARE, LONGEST_WAIT_S))
