"""The process layer: limits of the operating system, a user without rights, and the audit hook.

The fork server's process calls the functions of the first two parts. Its children inherit what they
change, and call `confine_child`. `step_timers` limits the time of one step.
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

_BYTES_PER_MB: Final = 1_048_576


# Files

_SERVER_DESCRIPTORS: Final = 32
"""The most open descriptors: the fork server's own, those of its waiting child, and those that
imports leave open."""


def refuse_files() -> None:
    """Forbid core dumps, written files, and more than a few open files, also for all children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    _set_limit(resource.RLIMIT_NOFILE, _SERVER_DESCRIPTORS, _SERVER_DESCRIPTORS)


def close_descriptors() -> None:
    """Close every descriptor except the first.

    Only up to this process's limit of open files: for higher numbers the C library may abort.
    """
    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(1, soft_limit)


def _set_limit(kind: int, soft: int, hard: int) -> None:
    """Limit what this process may use. If it was started with a lower limit, that one stays."""
    _, present_hard = resource.getrlimit(kind)
    if present_hard != resource.RLIM_INFINITY:
        soft = min(soft, present_hard)
        hard = min(hard, present_hard)
    resource.setrlimit(kind, (soft, hard))


# The user

_NOBODY: Final = 65_534
"""The user "nobody" of most systems."""
_FIRST_UNUSED_USER: Final = 1 << 30
"""Far above the user numbers that systems assign."""


def leave_root() -> None:
    """Give up the rights of root: see no files, and become a user that owns nothing.

    Does nothing for other users. A container may forbid its root one of the two steps; then the
    other one still protects.
    """
    if os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        _enter_empty_directory()

    # A user of this process alone, so that no other process has the same user. A container may not
    # have such high numbers.
    for user in (_FIRST_UNUSED_USER + os.getpid(), _NOBODY):
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            return


def _enter_empty_directory() -> None:
    """Make a removed directory the root of the file system. Nothing can be created in it.

    Without pathlib, whose import would make every start of a server two milliseconds longer.
    """
    directory = f"/tmp/sandbox-{os.urandom(8).hex()}"
    os.mkdir(directory, 0o700)  # noqa: PTH102
    os.chdir(directory)
    os.rmdir(directory)  # noqa: PTH106
    os.chroot(".")


# A child

_address_space_bytes = 0
"""The address space of the fork server's process, with which each child starts; 0 if unknown."""


def measure_address_space() -> None:
    """Remember the address space of this process, while `/proc` can still be read."""
    global _address_space_bytes
    if sys.platform.startswith("linux"):
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            first_field = file.read().split()[0]
        _address_space_bytes = int(first_field) * os.sysconf("SC_PAGE_SIZE")


def confine_child(
    kernel: Kernel | None,
    layers: frozenset[Layer],
    limits: Limits | WorkerLimits,
    needed_events: frozenset[str],
) -> None:
    """Confine this child by these layers, for good.

    `needed_events` are the audit events that its code may raise. The audit hook comes last, because
    it would refuse the other steps.
    """
    if Layer.PROCESS in layers:
        if Layer.KERNEL not in layers:
            leave_root()  # With the kernel layer, the fork server has done so.
        _limit_child(limits)
    if Layer.KERNEL in layers and kernel is not None:
        kernel.filter_child()
    if Layer.PROCESS in layers:
        refuse_actions(needed_events)


def _limit_child(limits: Limits | WorkerLimits) -> None:
    """Limit memory and CPU time, and forbid new descriptors and processes."""
    # Not even one descriptor in place of the connection, if the child closes that.
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))

    if _address_space_bytes:
        max_bytes = _address_space_bytes + limits.memory_mb * _BYTES_PER_MB
        _set_limit(resource.RLIMIT_AS, max_bytes, max_bytes)

    # The kernel counts whole seconds. At the first limit it sends SIGXCPU, from which the parent
    # knows why the child ended; at the second it kills the child in any case.
    cpu_s = int(limits.trial_cpu_s) + 1
    _set_limit(resource.RLIMIT_CPU, cpu_s, cpu_s + 1)


# The time of a step

_REPORT_S: Final = 0.2
"""CPU seconds that a step over its limit has to report its results, before the kernel ends it."""

_HINT: Final = "; clocks stand still in scripts, so bound a search by its rounds"


@contextmanager
def step_timers(limits: Limits, expire: Callable[[str], None]) -> Iterator[None]:
    """Within the block, call `expire(reason)` when the time of the step is over.

    Python calls it between two of its own instructions. A step that is busy in C code until then is
    ended by the third timer, whose signal ends the process.
    """

    def expire_wall(signal_number: int, frame: object) -> None:
        expire(f"the step ran longer than {limits.step_wall_s:g} s{_HINT}")

    def expire_cpu(signal_number: int, frame: object) -> None:
        expire(f"the step used more than {limits.step_cpu_s:g} s of CPU{_HINT}")

    signal.signal(signal.SIGALRM, expire_wall)
    signal.signal(signal.SIGPROF, expire_cpu)
    signal.setitimer(signal.ITIMER_REAL, limits.step_wall_s)  # sends SIGALRM
    signal.setitimer(signal.ITIMER_PROF, limits.step_cpu_s)  # sends SIGPROF
    signal.setitimer(signal.ITIMER_VIRTUAL, limits.step_cpu_s + _REPORT_S)  # sends SIGVTALRM
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@contextmanager
def longer_call(longest_s: float) -> Iterator[None]:
    """Within the block, which makes a call, stop the wall-clock time of the step.

    The call may take at most `longest_s`. Afterwards the step has as much time as before.
    """
    remaining_s, _ = signal.getitimer(signal.ITIMER_REAL)
    if not remaining_s:  # The step has no timer.
        yield
        return

    signal.setitimer(signal.ITIMER_REAL, remaining_s + longest_s)
    try:
        yield
    finally:
        still_remaining_s, _ = signal.getitimer(signal.ITIMER_REAL)
        if still_remaining_s == 0:
            still_remaining_s = 0.001  # Setting 0 would turn the timer off.
        signal.setitimer(signal.ITIMER_REAL, min(remaining_s, still_remaining_s))
