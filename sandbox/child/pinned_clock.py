"""Time, randomness and identifiers of a script, pinned: the same now, seed and step give the same values.

`install` replaces the clocks of the whole process, so use it only in the process that runs scripts. `time.time` and the
library's dates in Python, which ask it, show the pinned instant; `time.sleep` moves it on without waiting;
`time.monotonic` and `time.perf_counter` also advance by a microsecond with each reading.
"""

from __future__ import annotations

import random
import time as times
import uuid
from typing import Any, Final, SupportsIndex

_ORIGINAL: Final = {name: getattr(times, name) for name in ("gmtime", "strftime", "asctime", "monotonic")}


class Clock:
    """The pinned clock of one step."""

    def __init__(self) -> None:
        self.now_us = 0
        self.read_us = 0

    def sleep(self, seconds: float | SupportsIndex, /) -> None:
        """Move the clock on at once. Raises `ValueError` for a negative time."""
        seconds = float(seconds)
        if seconds < 0:
            msg = "sleep length must be non-negative"
            raise ValueError(msg)
        self.now_us += int(seconds * 1_000_000)

    def time(self) -> float:
        """Return the seconds since 1970."""
        return self.now_us / 1_000_000

    def counter_us(self) -> int:
        """Return microseconds of a steady clock that advances with every reading."""
        self.read_us += 1
        return self.now_us % 1_000_000_000 + self.read_us


CLOCK: Final = Clock()


class Random(random.Random):
    """`random.Random` whose unseeded generators are seeded from the step, not from the machine."""

    __module__ = "random"

    def __init__(self, x: Any = None) -> None:
        super().__init__(SEEDS.getrandbits(64) if x is None else x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the generator; without a seed, from the step's own."""
        super().seed(SEEDS.getrandbits(64) if a is None else a, version)


SEEDS: Final = random.Random(0)
"""Gives every unseeded generator of a step its seed."""
SHARED: Final = Random(0)
"""The generator behind the functions of `random`."""


def begin_step(now_us: int, seed: int, step: int) -> None:
    """Pin time (microseconds since 1970 in UTC) and randomness for one step."""
    CLOCK.now_us, CLOCK.read_us = now_us, 0
    SEEDS.seed(f"{seed}:{step}")
    random.seed(f"{seed}:{step}:library")  # `statistics` draws from this generator.
    SHARED.seed()


def install() -> None:
    """Replace the clocks of this process."""
    times.time = CLOCK.time
    times.time_ns = lambda: CLOCK.now_us * 1_000
    times.sleep = CLOCK.sleep
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(times, name, lambda: CLOCK.counter_us() / 1_000_000)
        setattr(times, f"{name}_ns", lambda: CLOCK.counter_us() * 1_000)
    times.gmtime = lambda secs=None: _ORIGINAL["gmtime"](CLOCK.time() if secs is None else secs)
    times.localtime = lambda secs=None: times.struct_time((*times.gmtime(secs), "UTC", 0))
    times.ctime = lambda secs=None: _ORIGINAL["asctime"](times.gmtime(secs))
    times.asctime = lambda t=None: _ORIGINAL["asctime"](times.gmtime() if t is None else t)
    times.strftime = lambda form, t=None: _ORIGINAL["strftime"](form, times.localtime() if t is None else t)


def _random_uuid(version: int) -> Any:
    def make(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
        return uuid.UUID(int=SEEDS.getrandbits(128), version=version)

    return make


def uuid7() -> uuid.UUID:
    """Return a UUID of the pinned clock's millisecond and random bits."""
    return uuid.UUID(int=(CLOCK.now_us // 1_000) << 80 | SEEDS.getrandbits(80), version=7)


def uuid8(a: Any = None, b: Any = None, c: Any = None) -> uuid.UUID:
    """Return a UUID of three numbers, each of them random if it is missing."""
    given = [SEEDS.getrandbits(bits) if number is None else number for number, bits in ((a, 48), (b, 12), (c, 62))]
    made: uuid.UUID = vars(uuid)["uuid8"](*given)
    return made


UUIDS: Final = {f"uuid{version}": _random_uuid(version) for version in (1, 4, 6)} | {"uuid7": uuid7, "uuid8": uuid8}
"""Makers of identifiers by the names that scripts import: they use neither machine nor real time."""
