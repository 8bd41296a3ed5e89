"""Time and randomness of a script, pinned: the same now, seed and step give the same values.

`install` replaces the clocks of the whole process, so it belongs into the process that runs scripts and nowhere else.
Dates and `time.time` show the pinned instant; `time.sleep` moves it on without waiting;
`time.monotonic` and `time.perf_counter` also move on by a microsecond with each reading.
"""

from __future__ import annotations

import ctypes
import datetime as datetimes
import gc
import random
import sys
import time as times
from typing import Any, Final, SupportsIndex

_EPOCH: Final = datetimes.datetime(1970, 1, 1, tzinfo=datetimes.UTC)
_ORIGINAL: Final = {name: getattr(times, name) for name in ("gmtime", "strftime", "asctime", "monotonic")}


class Clock:
    """The pinned clock of one step."""

    def __init__(self) -> None:
        self.now_us = 0
        self.read_us = 0

    def set(self, now_us: int) -> None:
        """Start a step at `now_us`, microseconds since 1970 in UTC."""
        self.now_us, self.read_us = now_us, 0

    def sleep(self, seconds: float | SupportsIndex, /) -> None:
        """Move the clock on at once. Raises `ValueError` for a negative time."""
        seconds = float(seconds)
        if seconds < 0:
            msg = "sleep length must be non-negative"
            raise ValueError(msg)
        self.now_us += int(seconds * 1_000_000)

    def datetime(self, zone: datetimes.tzinfo | None = None) -> datetimes.datetime:
        """Return the instant in `zone`; naive and in UTC without one."""
        here = _EPOCH + datetimes.timedelta(microseconds=self.now_us)
        return here.replace(tzinfo=None) if zone is None else here.astimezone(zone)

    def time(self) -> float:
        """Return the seconds since 1970."""
        return self.now_us / 1_000_000

    def counter_us(self) -> int:
        """Return microseconds of a steady clock that moves with every reading."""
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
    """Pin time and randomness for one step."""
    CLOCK.set(now_us)
    SEEDS.seed(f"{seed}:{step}")
    random.seed(f"{seed}:{step}:library")  # What `statistics` draws from.
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
    _replace_methods(
        datetimes.datetime,
        {
            "now": _now,
            "utcnow": lambda cls: _like(cls, CLOCK.datetime()),
            "today": lambda cls: _like(cls, CLOCK.datetime()),
        },
    )
    _replace_methods(datetimes.date, {"today": _today})


_HASH_TYPE: Final = ctypes.PYFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p)
_HASH_SLOT: Final = 15
"""Where a type's hash function lies in its structure, in words."""
_NONE_HASH: Final = 0xFCA86420
_KEPT: Final[list[Any]] = []
"""Keeps alive what the interpreter points to."""


def pin_none_hash() -> None:
    """Make `hash(None)` the constant that it is from Python 3.12 on; before, it is an address, and sets show it."""
    if sys.version_info >= (3, 12):
        return
    function = _HASH_TYPE(lambda value: _NONE_HASH)
    _KEPT.append(function)
    slot = ctypes.cast(id(type(None)) + _HASH_SLOT * ctypes.sizeof(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p))
    slot[0] = ctypes.cast(function, ctypes.c_void_p).value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(type(None)))


def _now(cls: type[datetimes.datetime], tz: datetimes.tzinfo | None = None) -> datetimes.datetime:
    return _like(cls, CLOCK.datetime(tz))


def _today(cls: type[datetimes.date]) -> datetimes.date:
    here = CLOCK.datetime()
    return cls(here.year, here.month, here.day)


def _like(cls: type[datetimes.datetime], here: datetimes.datetime) -> datetimes.datetime:
    if cls is datetimes.datetime:
        return here
    parts = (*here.timetuple()[:6], here.microsecond, here.tzinfo)
    return cls(*parts, fold=here.fold)


def _replace_methods(owner: type, methods: dict[str, Any]) -> None:
    """Replace class methods of a class written in C, whose namespace Python shows read-only."""
    (namespace,) = gc.get_referents(owner.__dict__)
    namespace.update({name: classmethod(function) for name, function in methods.items()})
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))
