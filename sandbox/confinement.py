"""Limits that a child puts on itself: memory and CPU of the trial by the kernel, wall and CPU of a step by timers."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sandbox.host import Limits

CPU_GRACE_S: Final = 0.2
"""How much CPU beyond its limit a step may use before the kernel ends it: the time to hand over what it has."""
RECURSION_LIMIT: Final = 1_000

_address_space_bytes = 0


def measure_address_space() -> None:
    """Note the address space of this process, while `/proc` can still be read; children start with as much."""
    global _address_space_bytes
    if not sys.platform.startswith("linux"):
        return
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        _address_space_bytes = int(os.read(descriptor, 100).split()[0]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(descriptor)


def limit_trial(limits: Limits) -> None:
    """Bound the memory that this process may add and the CPU seconds that it may use."""
    if _address_space_bytes:
        ceiling = _address_space_bytes + limits.memory_mb * 1_048_576
        resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))
    seconds = int(limits.trial_cpu_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


@contextmanager
def step_timers(limits: Limits, expire: Callable[[str], None]) -> Iterator[None]:
    """Call `expire(reason)` when the step's time is over; one that keeps Python busy in C is ended by the kernel."""

    def over_wall(number: int, frame: object) -> None:
        expire(f"the step ran longer than {limits.step_wall_s:g} s")

    def over_cpu(number: int, frame: object) -> None:
        expire(f"the step used more than {limits.step_cpu_s:g} s of CPU")

    signal.signal(signal.SIGALRM, over_wall)
    signal.signal(signal.SIGPROF, over_cpu)
    signal.setitimer(signal.ITIMER_REAL, limits.step_wall_s)
    signal.setitimer(signal.ITIMER_PROF, limits.step_cpu_s)
    signal.setitimer(signal.ITIMER_VIRTUAL, limits.step_cpu_s + CPU_GRACE_S)
    try:
        yield
    finally:
        for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):
            signal.setitimer(timer, 0)


class VerifyTooLong(BaseException):
    """A script's verify ran longer than it may."""


@contextmanager
def verify_timer(seconds: float) -> Iterator[None]:
    """Raise `VerifyTooLong` in the script once its verify has run for `seconds`; the step's own clock goes on after."""
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if not left or seconds >= left:
        yield
        return

    def over(number: int, frame: object) -> None:
        raise VerifyTooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        rest, _ = signal.getitimer(signal.ITIMER_REAL)
        signal.setitimer(signal.ITIMER_REAL, max(left - seconds + rest, 0.001))
        signal.signal(signal.SIGALRM, before)
