"""Which fault hits the next call to a server, as a seed decides.

    drawn_faults = DrawnFaults(Faults(seed=7, unavailable=0.1, reset_after=0.05))
    drawn_faults.next("StartTrial")  # "unavailable" in a tenth of the calls, mostly None

The fault follows from the seed, the method and the number of the call. So two equal sequences of
calls meet equal faults.
"""

import random
import time
from collections import Counter

from tests.support.relay.faults import SHARES, Faults


class DrawnFaults:
    """Draws a fault, or none, for each call in turn. At most one hits a call."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._calls_seen: Counter[str] = Counter()
        """The number of calls that a fault could have hit, by method."""
        self._outage_began_at: dict[str, float] = {}
        """When an outage of a method began, on the monotonic clock."""

    def next(self, method: str) -> str | None:
        """Return the kind of the fault that hits the next call of a method, or None."""
        faults = self._faults
        if self._is_in_outage(method):
            return "outage"
        if faults.methods and method not in faults.methods:
            return None
        self._calls_seen[method] += 1
        number = self._calls_seen[method]
        drawn = random.Random(f"{faults.seed}/{method}/{number}").random()
        # Each kind of fault has a part of the numbers from 0 to 1, as large as its share. With shares of
        # 0.1 and 0.2, numbers below 0.1 mean the first kind, and those from there to 0.3 the second.
        upper_end = 0.0
        for kind in SHARES:
            upper_end += getattr(faults, kind)
            if drawn < upper_end:
                return kind
        return None

    def _is_in_outage(self, method: str) -> bool:
        """Return True if an outage of this method lasts; its first call begins the outage."""
        for outage in self._faults.outages:
            if outage.method != method:
                continue
            now = time.monotonic()
            began_at = self._outage_began_at.setdefault(method, now)
            if now - began_at < outage.duration_s:
                return True
        return False
