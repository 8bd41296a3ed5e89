"""The process wall: rights that server and child give up for good, events that are refused, and a step's timers.

The interpreter announces actions that leave it (opening, connecting, running, importing, foreign functions, others'
frames) by audit events (PEP 578) to hooks that cannot be removed. Our hook refuses every event that a step does not
need. Such a hook is not a boundary by itself: it sees neither code in C nor system calls made by other means. On
systems without the kernel wall it keeps Python code that got past the language wall from the machine.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from sandbox.interface.limits import Limits

NEEDED: Final = frozenset(
    {
        *("compile", "exec", "function.__new__", "builtins.id", "object.__getattr__", "object.__setattr__"),
        *("sys._getframe", "sys._getframemodulename", "sys.unraisablehook"),
    }
)
"""Events of ordinary scripts and the library: they run code, make classes, evaluate annotations, and report the error
of a generator that nobody waits for."""
CPU_GRACE_S: Final = 0.2
"""CPU seconds beyond its limit after which the kernel ends a step: its time to send its results."""
RECURSION_LIMIT: Final = 1_000
MOST_DESCRIPTORS: Final = 32
NOBODY: Final = 65_534
_OWN_USERS_FROM: Final = 1 << 30
"""Far above the user numbers that systems assign; with the process number added, a user of its own."""

_address_space_bytes = 0


def measure_address_space() -> None:
    """Note the address space of this process, while `/proc` can still be read; children start with the same size."""
    global _address_space_bytes
    if not sys.platform.startswith("linux"):
        return
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        _address_space_bytes = int(os.read(descriptor, 100).split()[0]) * os.sysconf("SC_PAGE_SIZE")
    finally:
        os.close(descriptor)


def _bound(kind: int, soft: int, hard: int) -> None:
    """Permanently bound what this process may use; a lower limit under which it was started stays."""
    given = resource.getrlimit(kind)[1]
    if given != resource.RLIM_INFINITY:
        soft, hard = min(soft, given), min(hard, given)
    resource.setrlimit(kind, (soft, hard))


def refuse_files() -> None:
    """Forbid core dumps, written files and more than a few descriptors, to this process and its children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    _bound(resource.RLIMIT_NOFILE, MOST_DESCRIPTORS, MOST_DESCRIPTORS)


def close_descriptors() -> None:
    """Close every descriptor but the first, up to the limit of this process: beyond it the C library may abort."""
    os.closerange(1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def leave_root() -> None:
    """Give up the rights of root: make an empty directory the file system, and become a user of its own.

    Does nothing for users other than root. If a container forbids its root one of the two, the other still holds.
    """
    if os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        empty = f"/tmp/sandbox-{os.urandom(8).hex()}"
        os.mkdir(empty, 0o700)  # noqa: PTH102 - pathlib would make every start of a server two milliseconds longer
        os.chdir(empty)
        os.rmdir(empty)  # noqa: PTH106 - a removed directory stays empty, and leaves nothing on disk
        os.chroot(".")
    for user in (_OWN_USERS_FROM + os.getpid(), NOBODY):
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            return


def limit_trial(memory_mb: int, trial_cpu_s: float) -> None:
    """Bound the memory (in MiB, beyond the bare process) and the CPU seconds of this process, and allow it no further
    descriptor or process: not even in place of its connection, if that is closed."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    if _address_space_bytes:
        ceiling = _address_space_bytes + memory_mb * 1_048_576
        _bound(resource.RLIMIT_AS, ceiling, ceiling)
    seconds = int(trial_cpu_s) + 1
    _bound(resource.RLIMIT_CPU, seconds, seconds + 1)


def refuse_the_rest(needed: frozenset[str]) -> None:
    """Refuse this process every announced action from now on, except the needed events. Cannot be undone."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":  # The library looks for modules that may be missing, and works without them.
            raise ImportError("a sandboxed process may not import " + str(arguments[0]))
        if event not in needed:
            raise PermissionError("a sandboxed process may not: " + event)

    sys.addaudithook(refuse)


@contextmanager
def step_timers(limits: Limits, expire: Callable[[str], None]) -> Iterator[None]:
    """Call `expire(reason)` when the step's time is over. The kernel ends a step that is busy in C code."""

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
    """A script's verify exceeded its time."""


@contextmanager
def verify_timer(seconds: float) -> Iterator[None]:
    """Raise `VerifyTooLong` in the script once its verify has run for `seconds`; then resume the step's own timer."""
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
