"""What a trial gets at its start: its identity, its request and its limits.

For example, the trial `t-3` of the task `loans-1` must carry out "Renew my loan l-7". It may
make 5,000 calls, and its scripts see the time 2031-05-02 14:30.
"""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from controlplane.agent.limits.call_limit import DEFAULT_MAX_CALLS

# The clock of a trial: how much of its time it has used, over all its attempts.
#
# A trial with 600 seconds that was killed after 200 has 400 left when it is resumed.


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


_SEED_BYTES: Final = 6
"""Bytes of a trial's seed. All JSON readers keep a number of 48 bits exactly, but not of 64."""


@dataclass(frozen=True, slots=True)
class TrialContext:
    """The identity, the request and the limits of a trial, all known at its start."""

    trial_id: str
    task_id: str
    instruction: str
    """The request that the trial must carry out."""
    now: datetime | None
    """The time that scripts see at the start; None if the environment has no clock."""
    number: int = 1
    """The trial's number among the trials of the same task in the run, from 1."""
    origin: str = ""
    """The id of the trial whose first steps this one repeats, before it goes on in another way
    (a *fork* of that trial); empty if it is not a fork."""
    time_limit_s: float = math.inf
    """Seconds that the trial may use, the `limit_s` of its clock."""
    max_calls: int = DEFAULT_MAX_CALLS
    """Calls that the trial may make."""
    max_cost_usd: float | None = None
    """Dollars that the trial may spend on models; None for no limit."""
    context_tokens: int | None = None
    """Tokens that fit into the model's context; None if unknown."""
    is_resumed: bool = False
    """True if an earlier attempt has begun the trial, for example before its process was
    killed. The environment still has the changes that it made."""

    @property
    def now_text(self) -> str:
        """The time at the start in ISO 8601; empty if the environment has no clock."""
        return "" if self.now is None else self.now.isoformat()

    @property
    def seed(self) -> int:
        """The seed of random numbers in scripts. A fork has the seed of its origin."""
        digest = hashlib.sha256((self.origin or self.trial_id).encode()).digest()
        return int.from_bytes(digest[:_SEED_BYTES], "big")
