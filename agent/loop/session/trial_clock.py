"""The clock of a trial: how much of its time it has used, over all its attempts.

A trial with 600 seconds that was killed after 200 has 400 left when it is resumed.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class TrialClock:
    """Counts the time that a trial has used, over all its attempts.

    A trial may use 600 s. Its first attempt begins at the moment 1,000:

        at 1,050    exclude(30)           its model was down for 30 s; `deadline` is now 1,630
        at 1,100    used_s                70, and the process is killed
        at 5,000    continue_from(70)     the trial is resumed; `deadline` is 5,530

    All moments are those of `time.monotonic`, in seconds.
    """

    limit_s: float = math.inf
    """Seconds that the trial may use."""
    call_ends_at: float = math.inf
    """The moment at which a call of the running script has to end, because the script's own
    time is over. Infinite between such calls."""
    _counts_from: float = field(default_factory=time.monotonic)
    """The used time counts from this moment: the start, moved by time that does not count."""

    @property
    def used_s(self) -> float:
        """Seconds that the trial has used."""
        return time.monotonic() - self._counts_from

    @property
    def deadline(self) -> float:
        """The moment at which the trial's time ends. Its models have to reply before it."""
        return self._counts_from + self.limit_s

    def end_calls_at(self, moment: float) -> None:
        """Set the moment at which a call of the running script has to end.

        The sandbox calls this before a call of a script, with the end of the script's time,
        and after it, with infinity.
        """
        self.call_ends_at = moment

    def exclude(self, seconds: float) -> None:
        """Leave seconds in which the trial only waited out of the used time."""
        self._counts_from += seconds

    def continue_from(self, used_s: float) -> None:
        """Set the used time to what it was at the end of a recorded step."""
        self._counts_from = time.monotonic() - used_s
