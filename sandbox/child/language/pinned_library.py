"""Time and randomness of scripts, pinned so that a replay is exact.

The same now, seed and step give the same times, random values and identifiers. `time.time`, and the
library's dates in Python, which ask it, show the pinned instant; `time.sleep` moves it on without
waiting. `time.monotonic` and `time.perf_counter` also advance by a microsecond with each reading.
"""

from __future__ import annotations

import io
import os
import random
import time
import uuid
import zoneinfo
from contextlib import suppress
from typing import Any, BinaryIO, Final, SupportsIndex

_STEADY_CLOCK_US: Final = 1_000_000_000
"""Steady clocks show the pinned time within this span, as small numbers like a real one's."""

_real_gmtime = time.gmtime
_real_strftime = time.strftime
_real_asctime = time.asctime


class Clock:
    """The pinned clock of one step."""

    def __init__(self) -> None:
        self.now_us = 0
        self.readings = 0
        """Readings of the steady clocks in this step."""
        self.is_missing = False
        """There is no time of day."""

    def sleep(self, seconds: float | SupportsIndex, /) -> None:
        """Move the clock on at once. Raises `ValueError` for a negative time."""
        seconds = float(seconds)
        if seconds < 0:
            msg = "sleep length must be non-negative"
            raise ValueError(msg)
        self.now_us += int(seconds * 1_000_000)

    def time(self) -> float:
        """Return the seconds since 1970. Raises `RuntimeError` if there is no clock."""
        return self.time_ns() / 1_000_000_000

    def time_ns(self) -> int:
        """Return the nanoseconds since 1970. Raises `RuntimeError` if there is no clock."""
        if self.is_missing:
            msg = "there is no clock here: take dates and times from what you read"
            raise RuntimeError(msg)
        return self.now_us * 1_000

    def counter_us(self) -> int:
        """Return the microseconds of a steady clock, which advances with every reading."""
        self.readings += 1
        return self.now_us % _STEADY_CLOCK_US + self.readings


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


def begin_step(now_us: int | None, seed: int, step: int) -> None:
    """Pin time (microseconds since 1970 in UTC; None for no clock) and randomness for one step."""
    CLOCK.now_us = now_us or 0
    CLOCK.readings = 0
    CLOCK.is_missing = now_us is None
    SEEDS.seed(f"{seed}:{step}")
    SHARED.seed()


def pin_library() -> None:
    """Replace the clocks and random generators of this process, and load the time zones."""
    _load_time_zones()
    _pin_random()
    _pin_time()


def _pin_random() -> None:
    """Have the functions of `random` use the generator of the step."""
    functions = vars(random)
    for name in dir(random):
        if not name.startswith("_") and hasattr(SHARED, name):
            functions[name] = getattr(SHARED, name)
    functions["Random"] = Random


def _pin_time() -> None:
    """Have the functions of `time` show the pinned clock."""
    functions = vars(time)
    functions["time"] = CLOCK.time
    functions["time_ns"] = CLOCK.time_ns
    functions["sleep"] = CLOCK.sleep
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        functions[name] = lambda: CLOCK.counter_us() / 1_000_000
        functions[f"{name}_ns"] = lambda: CLOCK.counter_us() * 1_000

    functions["gmtime"] = _gmtime
    functions["localtime"] = _localtime
    functions["ctime"] = _ctime
    functions["asctime"] = _asctime
    functions["strftime"] = _strftime


# In place of the library's functions, with their parameters: without an argument they ask the
# pinned clock, and the local time is UTC.


def _gmtime(secs: float | None = None) -> time.struct_time:
    return _real_gmtime(CLOCK.time() if secs is None else secs)


def _localtime(secs: float | None = None) -> time.struct_time:
    return time.struct_time((*_gmtime(secs), "UTC", 0))  # with the zone


def _ctime(secs: float | None = None) -> str:
    return _real_asctime(_gmtime(secs))


def _asctime(t: Any = None) -> str:
    return _real_asctime(_gmtime() if t is None else t)


def _strftime(form: str, t: Any = None) -> str:
    return _real_strftime(form, _localtime() if t is None else t)


def _load_time_zones() -> None:
    """Read the data of all time zones now: a child has no files."""
    zones: dict[str, bytes] = {}
    for top in reversed(zoneinfo.TZPATH):  # An earlier folder of the path goes before a later one.
        zones.update(_zones_below(top))

    def load(key: str) -> BinaryIO:
        if key not in zones:
            msg = f"No time zone found with key {key}"
            raise zoneinfo.ZoneInfoNotFoundError(msg)
        return io.BytesIO(zones[key])

    zoneinfo.reset_tzpath(())
    vars(zoneinfo._common)["load_tzdata"] = load


def _zones_below(top: str) -> dict[str, bytes]:
    """Return the data of the time zones in a folder, by key, such as `Europe/Vienna`."""
    zones = {}
    for folder, subfolders, names in os.walk(top):
        # These two have the same zones again.
        subfolders[:] = [name for name in subfolders if name not in ("posix", "right")]
        for name in names:
            path = f"{folder}/{name}"
            data = b""
            # A link may lead nowhere. `open` takes half the time of pathlib.
            with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123
                data = file.read()
            if data.startswith(b"TZif"):
                zones[path.removeprefix(f"{top}/")] = data
    return zones


def random_uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Return a `uuid1` of the step's random bits, not of the machine's address and clock."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=1)


def random_uuid4() -> uuid.UUID:
    """Return a `uuid4` of the step's random bits."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=4)
