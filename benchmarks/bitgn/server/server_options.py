"""What configures the wire server, and the faults it can be asked to make."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, field
from typing import Final

from benchmarks.bitgn.wire.proto import ecom_pb2, harness_pb2
from controlplane import TaskSelection

OPEN: Final = "open"
BLIND: Final = "blind"
SHARES: Final = ("unavailable", "bare_unavailable", "too_many", "reset_before", "reset_after", "hang", "stall")
"""The faults that are given as shares of all calls, in the order in which they are drawn."""
METHODS: Final = frozenset(
    method
    for proto in (ecom_pb2, harness_pb2)
    for service in proto.DESCRIPTOR.services_by_name.values()
    for method in service.methods_by_name
)
"""The methods of all services."""


def _check_method(name: str) -> None:
    if name not in METHODS:
        close = difflib.get_close_matches(name, METHODS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there is {', '.join(sorted(METHODS))}"
        msg = f"the wire has no method {name!r}; {hint}"
        raise ValueError(msg)


def _check_seconds(name: str, seconds: float) -> None:
    if not 0 <= seconds < math.inf:
        msg = f"{name} is a number of seconds from 0 on, not {seconds:g}"
        raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class Outage:
    """One method answers 503 for a while."""

    method: str
    """As `EndTrial`."""
    duration_s: float
    """Counted from the first call of it."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for a method or a time that is none."""
        _check_method(self.method)
        _check_seconds("duration_s", self.duration_s)


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong, as shares of all calls (0 to 1). At most one fault hits a call; which one, the seed decides."""

    seed: int = 0
    unavailable: float = 0.0
    """Refused with 503 and the code `unavailable`; nothing happened."""
    bare_unavailable: float = 0.0
    """Answered 503 by something in front of the server, without a code; nothing happened, but a client cannot know."""
    too_many: float = 0.0
    """Refused with 429, the code `resource_exhausted` and Retry-After."""
    retry_after_s: float = 1.0
    """What Retry-After says."""
    reset_before: float = 0.0
    """The connection is reset before anything happened."""
    reset_after: float = 0.0
    """The connection is reset after it happened, in place of the reply."""
    hang: float = 0.0
    """Nothing happens and no reply comes, for as long as the client waits."""
    stall: float = 0.0
    """It happened, and the reply's body stops in the middle."""
    methods: frozenset[str] = frozenset()
    """The methods that faults hit; empty for all."""
    failing_starts: frozenset[int] = frozenset()
    """Trials that cannot start, by their number in the run, counted from 0."""
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        """Raise `ValueError` for shares that are none, alone or together, and for a method or a time that is none."""
        for method in self.methods:
            _check_method(method)
        shares = {name: getattr(self, name) for name in SHARES}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                msg = f"{name} is a share of all calls, from 0 to 1, not {share:g}"
                raise ValueError(msg)
        if math.fsum(shares.values()) > 1:
            msg = f"the shares of the faults are at most 1 together, not {math.fsum(shares.values()):g}"
            raise ValueError(msg)
        _check_seconds("retry_after_s", self.retry_after_s)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a benchmark is served."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free one."""
    policy: str = OPEN
    """`open`: scores and hints are shown; `blind`: hints are hidden and scores sealed."""
    reveal_after_s: float | None = None
    """Seconds after the run's submission until its scores are out. None: at once if open, never if blind."""
    api_key: str = field(default="", repr=False)
    """The key that StartRun must hold; empty for any."""
    selection: TaskSelection = field(default_factory=TaskSelection)
    """The trials of every run."""
    seed: int = 0
    """The seed of every run."""
    body_bytes: int = 4 * 1024 * 1024
    """The longest request body, as sent and decompressed."""
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        """Raise `ValueError` for a time that is none."""
        if self.reveal_after_s is not None:
            _check_seconds("reveal_after_s", self.reveal_after_s)
