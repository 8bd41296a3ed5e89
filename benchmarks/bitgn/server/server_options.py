"""The options of the wire server, and the faults that it can inject. pydantic checks them: what is wrong raises its
`ValidationError`."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from benchmarks.bitgn.wire.proto import ecom_pb2, harness_pb2
from controlplane import TaskSelection, did_you_mean

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


def _known_method(name: str) -> str:
    """Return the name of a method. Raises `ValueError` for an unknown one."""
    if name not in METHODS:
        msg = f"the wire has no method {name!r}{did_you_mean(name, sorted(METHODS))}"
        raise ValueError(msg)
    return name


Method: TypeAlias = Annotated[str, AfterValidator(_known_method)]
Seconds: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
"""A share of all calls."""


@dataclass(frozen=True, slots=True)
class Outage:
    """One method answers 503 for a while."""

    method: Method
    """A method's name, such as `EndTrial`."""
    duration_s: Seconds
    """Seconds from the first call of the method."""


@dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid"))
class Faults:
    """Faults as shares of all calls (0 to 1). At most one hits a call; the seed decides which."""

    seed: int = 0
    unavailable: Share = 0.0
    """Refused with 503 and the code `unavailable`; nothing happened."""
    bare_unavailable: Share = 0.0
    """Answered with 503 without a code, as by a proxy; nothing happened, but the client cannot know."""
    too_many: Share = 0.0
    """Refused with 429, the code `resource_exhausted` and Retry-After."""
    retry_after_s: Seconds = 1.0
    """The value of Retry-After."""
    reset_before: Share = 0.0
    """The connection is reset before the call happens."""
    reset_after: Share = 0.0
    """The call happens, and the connection is reset in place of the reply."""
    hang: Share = 0.0
    """Nothing happens, and no reply comes for as long as the client waits."""
    stall: Share = 0.0
    """The call happens, and the reply's body stops in the middle."""
    methods: frozenset[Method] = frozenset()
    """The methods that faults hit; empty for all."""
    failing_starts: frozenset[int] = frozenset()
    """Trials that cannot start, by their index in the run, from 0."""
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        """Raise `ValueError` for shares that cannot be."""
        together = math.fsum(getattr(self, name) for name in SHARES)
        if together > 1:
            msg = f"the shares of the faults are at most 1 together, not {together:g}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to serve a benchmark."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free port."""
    policy: str = OPEN
    """`open`: scores and hints are shown; `blind`: hints are hidden and scores sealed."""
    reveal_after_s: Seconds | None = None
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
    aide_modules: tuple[str, ...] = ()
    """Modules whose functions the benchmark's environments have called in a trial's aide. None: no trial has one."""
