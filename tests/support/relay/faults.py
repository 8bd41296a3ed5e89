"""Faults of a network between a client and a server, as shares of all calls.

    Faults(seed=7, unavailable=0.1, reset_after=0.05)

A tenth of the calls get 503, and of a twentieth the connection is reset after the call has happened.
The seed decides which.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outage:
    """One method answers 503 for some seconds from its first call on."""

    method: str
    duration_s: float


@dataclass(frozen=True)
class Faults:
    """Faults as shares of all calls (0 to 1). At most one hits a call; the seed decides which."""

    seed: int = 0
    unavailable: float = 0.0
    """503 with the code `unavailable`; nothing happened."""
    bare_unavailable: float = 0.0
    """503 without a code, as by a proxy; nothing happened, but the client cannot know."""
    too_many: float = 0.0
    """429 with the code `resource_exhausted` and Retry-After."""
    retry_after_s: float = 1.0
    """The seconds in the header Retry-After of a 429."""
    reset_before: float = 0.0
    """The connection is reset before the call happens."""
    reset_after: float = 0.0
    """The call happens, and the connection is reset in place of the reply."""
    hang: float = 0.0
    """Nothing happens, and no reply comes for as long as the client waits."""
    stall: float = 0.0
    """The call happens, and the reply's body stops in the middle."""
    methods: frozenset[str] = frozenset()
    """The methods that faults hit; empty for all."""
    outages: tuple[Outage, ...] = ()


SHARES = (
    "unavailable",
    "bare_unavailable",
    "too_many",
    "reset_before",
    "reset_after",
    "hang",
    "stall",
)
"""The fields of `Faults` that are shares of all calls, in the order in which a fault is drawn."""
