"""The clock of scripts, which stands still, so that a replay gives exactly the same times.

`pin_time` replaces the functions of `time` in the process from which children are forked.

- `time.time` stands still at the pinned time. `time.sleep` moves it on without waiting.
- `time.monotonic` and `time.perf_counter` also advance by a microsecond whenever they
  are read, since scripts divide by the difference of two readings.
- `datetime` is the library's Python code here, which asks `time.time`.
"""

from __future__ import annotations

import time
from typing import Any, Final, SupportsIndex

_US_PER_S: Final = 1_000_000
_NS_PER_S: Final = 1_000_000_000

# The library's own functions, kept before they are replaced
_real_gmtime = time.gmtime
_real_strftime = time.strftime
_real_asctime = time.asctime

_STEADY_SPAN_US: Final = 1_000 * _US_PER_S
"""The time after which the steady clocks (such as `time.monotonic`) start again at 0."""


class _Clock:
    """The pinned clock of the running step, behind all functions of `time`."""

    def __init__(self) -> None:
        self.now_us = 0
        """Microseconds since 1970 in UTC."""
        self.is_missing = False
        """True if scripts have no clock."""
        self.steady_readings = 0
        """How often the step has read a steady clock, such as `time.monotonic`."""

    def begin_step(self, now_us: int | None) -> None:
        """Set the clock for a new step, to microseconds since 1970. None: scripts have no clock."""
        self.now_us = now_us or 0
        self.is_missing = now_us is None
        self.steady_readings = 0

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


CLOCK: Final = _Clock()
"""The one clock of this process. Each step sets it anew."""


def pin_time() -> None:
    """Make the functions of `time` show the pinned clock, for all code of this process."""
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
# zone is UTC. They have no docstrings, which scripts could read.


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
