"""The options of the wire server, and the faults that it can inject."""

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
"""The faults given as shares of all calls, in the order of drawing."""
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
    """A method's name, such as `EndTrial`."""
    duration_s: float
    """Seconds from the first call of the method."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for an unknown method or an impossible time."""
        _check_method(self.method)
        _check_seconds("duration_s", self.duration_s)


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults as shares of all calls (0 to 1). At most one hits a call; the seed decides which."""

    seed: int = 0
    unavailable: float = 0.0
    """Refused with 503 and the code `unavailable`; nothing happened."""
    bare_unavailable: float = 0.0
    """Answered with 503 without a code, as by a proxy; nothing happened, but the client cannot know."""
    too_many: float = 0.0
    """Refused with 429, the code `resource_exhausted` and Retry-After."""
    retry_after_s: float = 1.0
    """The value of Retry-After."""
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
    failing_starts: frozenset[int] = frozenset()
    """Trials that cannot start, by their index in the run, from 0."""
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        """Raise `ValueError` for impossible shares or times and for unknown methods."""
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
    """How to serve a benchmark."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free port."""
    policy: str = OPEN
    """`open`: scores and hints are shown; `blind`: hints are hidden and scores sealed."""
    reveal_after_s: float | None = None
    """Seconds from the run's submission until its scores are revealed. None: at once if open, never if blind."""
    api_key: str = field(default="", repr=False)
    """The key that StartRun requires; empty accepts any."""
    selection: TaskSelection = field(default_factory=TaskSelection)
    """The trials of every run."""
    seed: int = 0
    """The seed of every run."""
    body_bytes: int = 4 * 1024 * 1024
    """Most bytes of a request body, as sent and decompressed."""
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        """Raise `ValueError` for an impossible time."""
        if self.reveal_after_s is not None:
            _check_seconds("reveal_after_s", self.reveal_after_s)
