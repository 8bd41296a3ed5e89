"""What a trial gets at its start: its identity, its request and its limits.

For example, the trial `t-3` of the task `loans-1` must carry out "Renew my loan l-7". It may
make 5,000 calls, and its scripts see the time 2031-05-02 14:30.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from controlplane.agent.limits.trial_limits import DEFAULT_LIMITS, TrialLimits

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
    limits: TrialLimits = DEFAULT_LIMITS
    """The numbers of all its limits, such as its calls and its seconds."""
    context_tokens: int | None = None
    """Tokens that fit into the model's context, as its endpoint says; None if unknown."""
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
