"""Pins the time and the randomness of scripts, so that a replay gives exactly the same output.

`pin_library` replaces functions of `time` and `random` in the process from which
children are forked. `begin_step` then sets the clock and the seeds for one step. The
same time, seed and number of a step give the same times, random values and UUIDs.

- `time.time` stands still at the pinned time. `time.sleep` moves it on without waiting.
- `time.monotonic` and `time.perf_counter` also advance by a microsecond whenever they
  are read, since scripts divide by the difference of two readings.
- `datetime` is the library's Python code here, which asks `time.time`.
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

_US_PER_S: Final = 1_000_000
_NS_PER_S: Final = 1_000_000_000

# The library's own functions, kept before they are replaced
_real_gmtime = time.gmtime
_real_strftime = time.strftime
_real_asctime = time.asctime


# Time

_STEADY_SPAN_US: Final = 1_000 * _US_PER_S
"""The time after which the steady clocks (such as `time.monotonic`) start again at 0."""


class Clock:
    """The pinned clock of the running step."""

    def __init__(self) -> None:
        self.now_us = 0
        self.is_missing = False
        """True if scripts have no clock."""
        self.steady_readings = 0
        """How often the step has read a steady clock, such as `time.monotonic`."""

    def sleep(self, seconds: float | SupportsIndex, /) -> None:
        """Move the clock on without waiting. Raises `ValueError` for a negative time."""
        seconds = float(seconds)
        if seconds < 0:
            msg = "sleep length must be non-negative"
            raise ValueError(msg)
        self.now_us += int(seconds * _US_PER_S)

    def time(self) -> float:
        """Return the seconds since 1970. Raises `RuntimeError` if there is no clock."""
        return self.time_ns() / _NS_PER_S

    def time_ns(self) -> int:
        """Return the nanoseconds since 1970. Raises `RuntimeError` if there is no clock."""
        if self.is_missing:
            msg = "there is no clock here: take dates and times from what you read"
            raise RuntimeError(msg)
        return self.now_us * 1_000

    def steady_us(self) -> int:
        """Return the time of the steady clocks, such as `time.monotonic`, in microseconds.

        They count from any moment, so only differences between readings mean something.
        They start again after `_STEADY_SPAN_US`, so that the numbers are small, as on a real
        machine. A script that sleeps across such a start sees them go back; this is accepted.
        """
        self.steady_readings += 1
        return self.now_us % _STEADY_SPAN_US + self.steady_readings


CLOCK: Final = Clock()


def _pin_time() -> None:
    """Make the functions of `time` show the pinned clock."""
    functions = vars(time)
    functions["time"] = CLOCK.time
    functions["time_ns"] = CLOCK.time_ns
    functions["sleep"] = CLOCK.sleep
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        functions[name] = _steady_seconds
        functions[f"{name}_ns"] = _steady_nanoseconds

    functions["gmtime"] = _gmtime
    functions["localtime"] = _localtime
    functions["ctime"] = _ctime
    functions["asctime"] = _asctime
    functions["strftime"] = _strftime


def _steady_seconds() -> float:
    return CLOCK.steady_us() / _US_PER_S


def _steady_nanoseconds() -> int:
    return CLOCK.steady_us() * 1_000


# The functions below have the parameters of the library's functions, and replace them
# for two reasons: without a time they take it from the pinned clock, and the local time
# zone is UTC.


def _gmtime(secs: float | None = None) -> time.struct_time:
    if secs is None:
        secs = CLOCK.time()
    return _real_gmtime(secs)


def _localtime(secs: float | None = None) -> time.struct_time:
    # The 9 fields from the year to `tm_isdst`, and 2 that `gmtime` does not set
    # everywhere: the name of the time zone and its offset in seconds.
    return time.struct_time((*_gmtime(secs), "UTC", 0))


def _ctime(secs: float | None = None) -> str:
    return _real_asctime(_gmtime(secs))


def _asctime(t: Any = None) -> str:
    if t is None:
        t = _gmtime()
    return _real_asctime(t)


def _strftime(format: str, t: Any = None) -> str:
    if t is None:
        t = _localtime()
    return _real_strftime(format, t)


# Randomness


class Random(random.Random):
    """`random.Random`, but without a given seed it takes one from the step."""

    __module__ = "random"  # as scripts see it in `repr(random.Random)`

    def __init__(self, x: Any = None) -> None:
        super().__init__(_new_seed() if x is None else x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the generator anew."""
        super().seed(_new_seed() if a is None else a, version)


def _new_seed() -> int:
    """Return the next seed of the step."""
    return SEEDS.getrandbits(64)


SEEDS: Final = random.Random(0)
"""Gives every unseeded generator of a step its seed. `begin_step` seeds it anew."""

SHARED_RANDOM: Final = Random(0)
"""The generator behind the functions of `random`, such as `random.choice`."""


def _pin_random() -> None:
    """Make the functions of `random` use the generator of the step."""
    # `random.choice` is the method `choice` of a generator. Here it becomes that of our own.
    functions = vars(random)
    for name in dir(random):
        if not name.startswith("_") and hasattr(SHARED_RANDOM, name):
            functions[name] = getattr(SHARED_RANDOM, name)
    functions["Random"] = Random


def random_uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Do as `uuid.uuid1`, but with random bits of the step instead of the machine's address."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=1)


def random_uuid4() -> uuid.UUID:
    """Do as `uuid.uuid4`, but with random bits of the step."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=4)


# Time zones


def _load_time_zones() -> None:
    """Read the data of all time zones now, because a child has no files."""
    zones: dict[str, bytes] = {}
    # Of several folders with the same zone, the first one counts. So it is read last,
    # and replaces what the others had.
    for folder in reversed(zoneinfo.TZPATH):
        zones.update(_zones_in(folder))

    def load_tzdata(key: str) -> BinaryIO:
        """Do as the library's function of this name, which reads a file."""
        if key not in zones:
            msg = f"No time zone found with key {key}"
            raise zoneinfo.ZoneInfoNotFoundError(msg)
        return io.BytesIO(zones[key])

    # With an empty path, the library asks its function `load_tzdata` for every zone.
    # That function is private, and is replaced here.
    zoneinfo.reset_tzpath(())
    vars(zoneinfo._common)["load_tzdata"] = load_tzdata


def _zones_in(top: str) -> dict[str, bytes]:
    """Return the data of the time zones in a folder, by key, such as `Europe/Vienna`."""
    zones = {}
    for folder, subfolders, names in os.walk(top):
        # Leave out two copies of all zones. `os.walk` goes into the folders that remain
        # in the list.
        subfolders[:] = [name for name in subfolders if name not in ("posix", "right")]
        for name in names:
            path = f"{folder}/{name}"
            data = _file_content(path)
            if data.startswith(b"TZif"):  # Other files there are lists of zones.
                zones[path.removeprefix(f"{top}/")] = data
    return zones


def _file_content(path: str) -> bytes:
    """Return the content of a file; empty if it cannot be read, for example a link to nowhere."""
    with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 - twice as fast as pathlib
        return file.read()
    return b""


# The interface of this module


def pin_library() -> None:
    """Replace the clocks and the random generators of this process, and load the time zones."""
    _load_time_zones()
    _pin_random()
    _pin_time()


def begin_step(now_us: int | None, seed: int, step: int) -> None:
    """Pin time and randomness for one step.

    `now_us` is in microseconds since 1970 in UTC; None if scripts have no clock. `seed` is
    that of the trial, and `step` the number of the step.
    """
    CLOCK.now_us = now_us or 0
    CLOCK.is_missing = now_us is None
    CLOCK.steady_readings = 0

    SEEDS.seed(f"{seed}:{step}")
    SHARED_RANDOM.seed()  # with the first number from SEEDS
