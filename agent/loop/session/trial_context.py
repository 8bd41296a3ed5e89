"""What a trial is given at its start: who it is, what it must do, and its clock."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from controlplane.agent.limits.call_limit import DEFAULT_MAX_CALLS

SEED_BYTES: Final = 6
"""Bytes of a trial's seed. All JSON readers keep a number of 48 bits exactly, but not of 64."""


class LeftOpen(Exception):
    """Raised if the user or the run's budget stops a trial before its end.

    The trial can be resumed later.
    """

    leaves_step = True
    """The sandbox ends the whole script for an exception with this attribute.
    Any other exception in a call of the script only fails the call."""


@dataclass(frozen=True, slots=True)
class TrialContext:
    """The identity, the request and the limits of a trial, all known at its start."""

    trial_id: str
    task_id: str
    instruction: str
    """The request that the trial must carry out."""
    now: datetime | None
    """The time that scripts see at the start; None if there is no clock."""
    number: int = 1
    """The trial's number among the trials of the same task in the run, from 1."""
    origin: str = ""
    """The id of the trial from which this one was forked; empty if it is not a fork."""
    time_limit_s: float = 0.0
    """Seconds that the trial may use; 0 for the run's limit."""
    max_calls: int = DEFAULT_MAX_CALLS
    """Calls that it may make."""
    max_cost_usd: float | None = None
    """Dollars that it may spend on models; None for no limit."""
    context_tokens: int | None = None
    """Tokens of the model's context; None if unknown."""
    is_resumed: bool = False
    """True if an earlier attempt has begun the trial. The environment still has its changes."""

    @property
    def seed(self) -> int:
        """The random seed of scripts. A fork has that of its origin."""
        digest = hashlib.sha256((self.origin or self.trial_id).encode()).digest()
        return int.from_bytes(digest[:SEED_BYTES], "big")


@dataclass(slots=True)
class TrialClock:
    """Counts the time that a trial has used, over all its attempts.

    The time in which its model was down does not count. All moments are those of
    `time.monotonic`, in seconds. `deadline` ends the whole trial; `call_ends_at`, which may
    be earlier, ends a call of a script.
    """

    limit_s: float = math.inf
    """Seconds that the trial may use."""
    call_ends_at: float = math.inf
    """The moment at which a call of the running script has to end. Infinite without a script."""
    _began: float = field(default_factory=time.monotonic)
    """The used time counts from this moment: the start, moved later by each pause."""

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

        The sandbox sets it: before a call to the end of the script's time, after it to infinity.
        """
        self.call_ends_at = moment

    def exclude(self, seconds: float) -> None:
        """Subtract seconds in which the trial only waited from the used time."""
        self._began += seconds

    def continue_from(self, used_s: float) -> None:
        """Set the used time to its value at the end of a recorded step."""
        self._began = time.monotonic() - used_s
