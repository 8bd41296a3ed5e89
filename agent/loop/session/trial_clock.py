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

    The time in which its model was down does not count. `deadline` ends the whole trial,
    `call_ends_at` a call of the running script, whose own time may end earlier. All moments
    are those of `time.monotonic`, in seconds.
    """

    limit_s: float = math.inf
    """Seconds that the trial may use."""
    call_ends_at: float = math.inf
    """The moment at which a call of the running script has to end. Infinite without a script."""
    _began: float = field(default_factory=time.monotonic)
    """The used time counts from this moment. It is the start, moved by the time that does
    not count (`exclude`), or that an earlier attempt has used (`continue_from`)."""

    @property
    def used_s(self) -> float:
        """Seconds that the trial has used."""
        return time.monotonic() - self._began

    @property
    def deadline(self) -> float:
        """The moment at which the trial's time ends. Its models have to reply before it."""
        return self._began + self.limit_s

    def end_calls_at(self, moment: float) -> None:
        """Set the moment at which a call of the running script has to end.

        The sandbox calls this before a call of a script, with the end of the script's time,
        and after it, with infinity.
        """
        self.call_ends_at = moment

    def exclude(self, seconds: float) -> None:
        """Leave seconds in which the trial only waited out of the used time."""
        self._began += seconds

    def continue_from(self, used_s: float) -> None:
        """Set the used time to what it was at the end of a recorded step."""
        self._began = time.monotonic() - used_s
