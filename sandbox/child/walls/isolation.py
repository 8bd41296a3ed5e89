"""The isolation around a server and its children, for good: limits, the user, the audit hook.

This is the process layer. The kernel layer is in `kernel`.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from controlplane.sandbox.child.walls.audit import refuse_actions
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface.host import Layer, Limits, WorkerLimits

_NOBODY: Final = 65_534
_FIRST_OWN_USER: Final = 1 << 30
"""Far above the user numbers that systems assign; with a process number added, a user of its own."""

_SERVER_DESCRIPTORS: Final = 32
"""A server's own, its spare child's, and room for those of imports."""

_END_OF_STEP_S: Final = 0.2
"""CPU seconds that a step over its limit has to send its results, before the kernel ends it."""

_address_space_bytes = 0


def measure_address_space() -> None:
    """Note the address space of this process, while `/proc` can still be read.

    Children start with the same size.
    """
    global _address_space_bytes
    if sys.platform.startswith("linux"):
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            pages = int(file.read().split()[0])
        _address_space_bytes = pages * os.sysconf("SC_PAGE_SIZE")


# Of the server


def refuse_files() -> None:
    """Forbid core dumps, written files and more than a few descriptors.

    This holds for this process and its children.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    _bound(resource.RLIMIT_NOFILE, _SERVER_DESCRIPTORS, _SERVER_DESCRIPTORS)


def _bound(kind: int, soft: int, hard: int) -> None:
    """Bound what this process may use; a lower limit under which it was started stays."""
    _, given_hard = resource.getrlimit(kind)
    if given_hard != resource.RLIM_INFINITY:
        soft = min(soft, given_hard)
        hard = min(hard, given_hard)
    resource.setrlimit(kind, (soft, hard))


def close_descriptors() -> None:
    """Close every descriptor but the first, up to the limit of this process.

    Beyond the limit the C library may abort.
    """
    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(1, soft_limit)


def leave_root() -> None:
    """Give up the rights of root: an empty directory as file system, and a user of its own.

    Does nothing for other users. If a container forbids its root one of the two, the other still
    holds.
    """
    if os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        _enter_empty_directory()
    for user in (_FIRST_OWN_USER + os.getpid(), _NOBODY):
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            return


def _enter_empty_directory() -> None:
    """Make a removed directory the root: it stays empty, and leaves nothing on disk.

    Not by pathlib, which would make every start of a server two milliseconds longer.
    """
    directory = f"/tmp/sandbox-{os.urandom(8).hex()}"
    os.mkdir(directory, 0o700)  # noqa: PTH102
    os.chdir(directory)
    os.rmdir(directory)  # noqa: PTH106
    os.chroot(".")


# Of a child


def confine_child(
    kernel: Kernel | None,
    layers: frozenset[Layer],
    limits: Limits | WorkerLimits,
    needed_events: frozenset[str],
) -> None:
    """Put these layers around this child, for good."""
    if Layer.PROCESS in layers:
        if Layer.KERNEL not in layers:
            leave_root()
        _limit_child(limits)
    if Layer.KERNEL in layers and kernel is not None:
        kernel.filter_child()
    if Layer.PROCESS in layers:
        refuse_actions(needed_events)


def _limit_child(limits: Limits | WorkerLimits) -> None:
    """Bound memory and CPU, and allow no further descriptor or process.

    There is no descriptor even in place of the connection, if the child closes that.
    """
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))

    if _address_space_bytes:
        added_bytes = limits.memory_mb * 1_048_576
        max_bytes = _address_space_bytes + added_bytes
        _bound(resource.RLIMIT_AS, max_bytes, max_bytes)

    # The kernel counts whole seconds; the signal at the first limit says why the child ends.
    cpu_s = int(limits.trial_cpu_s) + 1
    _bound(resource.RLIMIT_CPU, cpu_s, cpu_s + 1)


# Of a step

_HINT: Final = "; clocks stand still in scripts, so bound a search by its rounds"


@contextmanager
def step_timers(limits: Limits, expire: Callable[[str], None]) -> Iterator[None]:
    """Call `expire(reason)` when the step's time is over.

    The kernel ends a step that is busy in C code then.
    """

    def expire_wall(signal_number: int, frame: object) -> None:
        expire(f"the step ran longer than {limits.step_wall_s:g} s{_HINT}")

    def expire_cpu(signal_number: int, frame: object) -> None:
        expire(f"the step used more than {limits.step_cpu_s:g} s of CPU{_HINT}")

    signal.signal(signal.SIGALRM, expire_wall)
    signal.signal(signal.SIGPROF, expire_cpu)
    signal.setitimer(signal.ITIMER_REAL, limits.step_wall_s)
    signal.setitimer(signal.ITIMER_PROF, limits.step_cpu_s)
    signal.setitimer(signal.ITIMER_VIRTUAL, limits.step_cpu_s + _END_OF_STEP_S)
    try:
        yield
    finally:
        for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):
            signal.setitimer(timer, 0)


@contextmanager
def longer_call(longest_s: float) -> Iterator[None]:
    """Stop the step's wall-clock time for the length of the block, for at most `longest_s`."""
    remaining_s, _ = signal.getitimer(signal.ITIMER_REAL)
    if not remaining_s:  # The step has no timer.
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, remaining_s + longest_s)
    try:
        yield
    finally:
        now_remaining_s, _ = signal.getitimer(signal.ITIMER_REAL)
        # A timer of 0 would never end.
        signal.setitimer(signal.ITIMER_REAL, min(remaining_s, now_remaining_s or 0.001))
