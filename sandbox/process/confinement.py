"""The process wall: what server and child give up for good, by means of every POSIX system, and a step's timers."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sandbox.interface.limits import Limits

CPU_GRACE_S: Final = 0.2
"""How much CPU beyond its limit a step may use before the kernel ends it: the time to hand over what it has."""
RECURSION_LIMIT: Final = 1_000

MOST_DESCRIPTORS: Final = 32
NOBODY: Final = 65_534
_OWN_USERS_FROM: Final = 1 << 30
"""Far above the users that systems hand out; the number of a process on top of it makes a user for itself."""

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


def _bound(kind: int, soft: int, hard: int) -> None:
    """Bound what this process may use for good, by the limit that it was started under where that is lower."""
    given = resource.getrlimit(kind)[1]
    if given != resource.RLIM_INFINITY:
        soft, hard = min(soft, given), min(hard, given)
    resource.setrlimit(kind, (soft, hard))


def refuse_files() -> None:
    """Forbid this process and its children core dumps, written files and more than a few descriptors."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    _bound(resource.RLIMIT_NOFILE, MOST_DESCRIPTORS, MOST_DESCRIPTORS)


def close_descriptors() -> None:
    """Close every descriptor but the first. None beyond what this process may have is named: C's library may abort."""
    os.closerange(1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def leave_root() -> None:
    """Give up the rights of root: see an empty directory as the file system, and be a user that nobody else is.

    Does nothing for anybody else than root. Where a container does not let its root do either, the rest stands.
    """
    if os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        empty = f"/tmp/sandbox-{os.urandom(8).hex()}"
        os.mkdir(empty, 0o700)  # noqa: PTH102 - pathlib would make every start of a server two milliseconds longer
        os.chdir(empty)
        os.rmdir(empty)  # noqa: PTH106 - a directory that is gone stays empty, and leaves nothing behind
        os.chroot(".")
    for user in (_OWN_USERS_FROM + os.getpid(), NOBODY):
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            return


def limit_trial(limits: Limits) -> None:
    """Bound the memory and the CPU seconds that this process may use, and let it have no descriptor or process more."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (1, 1))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    if _address_space_bytes:
        ceiling = _address_space_bytes + limits.memory_mb * 1_048_576
        _bound(resource.RLIMIT_AS, ceiling, ceiling)
    seconds = int(limits.trial_cpu_s) + 1
    _bound(resource.RLIMIT_CPU, seconds, seconds + 1)


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
