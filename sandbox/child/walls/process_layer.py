"""The process layer: limits of the operating system, a user without rights, and the audit hook.

The fork server's process calls `refuse_files`, `close_descriptors`, `leave_root` and
`measure_address_space`. Its children inherit the effects. Each child then calls
`confine_child`. (The time of each step is limited by `StepTimers`.)
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from typing import Any, Final

from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface.limits import (
    BYTES_PER_MIB,
    Layer,
    Limits,
    WorkerLimits,
)

# The audit hook: makes the interpreter refuse to open files, connect, start processes and so on.
#
# Python's library raises an audit event before each such action (PEP 578),
# for example `open` or `socket.connect`. If the hook raises an exception, the action
# does not happen. The hook does not see actions of C code that raises no event.
# The kernel layer refuses those.

NEEDED_BY_SCRIPTS: Final = frozenset(
    {
        # Running code, making classes, evaluating annotations
        "compile",
        "exec",
        "function.__new__",
        "builtins.id",
        "object.__getattr__",
        "object.__setattr__",
        "sys._getframe",
        "sys._getframemodulename",
        # Reporting the error of a generator that nobody waits for
        "sys.unraisablehook",
    }
)
"""Events that ordinary scripts raise, directly or by the library."""

NEEDED_BY_LIBRARY: Final = {
    "sqlite3": frozenset({"sqlite3.connect", "sqlite3.connect/handle"}),
    # openpyxl creates an `array` for the style of each cell, which is harmless.
    "openpyxl": frozenset({"array.__new__"}),
}
"""By the name of a library: the further events that
a worker may raise if it has imported that library."""


def _refuse_actions(needed_events: frozenset[str]) -> None:
    """Make this process refuse every action except those with these events. It can't be undone."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            # An `ImportError`, because the library tries to import modules that may be
            # missing, and works without them.
            raise ImportError("a sandboxed process may not import " + str(arguments[0]))
        if event not in needed_events:
            raise PermissionError("a sandboxed process may not: " + event)

    sys.addaudithook(refuse)


# Files

_SERVER_DESCRIPTORS: Final = 32
"""The most open descriptors: the fork server's own, those
of its waiting child, and those that imports leave open."""


def refuse_files() -> None:
    """Forbid core dumps, written files, and more than a few open files, also for all children."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # a file can grow to no byte
    _set_limit(resource.RLIMIT_NOFILE, _SERVER_DESCRIPTORS, _SERVER_DESCRIPTORS)


def close_descriptors() -> None:
    """Close every descriptor except 0, which is a child's connection to the parent.

    Only numbers up to this process's limit of open files are closed: for higher ones,
    the C library may abort.
    """
    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(1, soft_limit)


def _set_limit(kind: int, soft: int, hard: int) -> None:
    """Limit what this process may use of one kind, such as `RLIMIT_NOFILE`: open files.

    The system acts at the soft limit; without rights of root, the hard one cannot be raised
    again. If this process was started with a lower limit, that one stays.
    """
    _, present_hard = resource.getrlimit(kind)
    if present_hard != resource.RLIM_INFINITY:
        soft = min(soft, present_hard)
        hard = min(hard, present_hard)
    resource.setrlimit(kind, (soft, hard))


# The user

_NOBODY: Final = 65_534
"""The user "nobody" of most systems."""
_FIRST_UNUSED_USER: Final = 1 << 30
"""Added to the number of a process, this gives the number of a user. Systems
assign far lower numbers, and the sum still fits the 32 bits of a user number."""


def leave_root() -> None:
    """Enter an empty directory as root directory, and become a user that owns nothing.

    Only root can do so; for other users nothing changes. A container may forbid its
    root one of the two steps; then the other one still protects.
    """
    if os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        _enter_empty_directory()

    try:
        # No other process has this user.
        _become_user(_FIRST_UNUSED_USER + os.getpid())
    except OSError:
        # A container may not have such high numbers.
        with contextlib.suppress(OSError):
            _become_user(_NOBODY)


def _become_user(user: int) -> None:
    """Change the user and the group of this process to this number, and leave all other groups."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def _enter_empty_directory() -> None:
    """Make a removed directory the root of the file system: nothing can be created in it.

    Pathlib is not used here: its import would delay every start of a server.
    """
    directory = f"/tmp/sandbox-{os.urandom(8).hex()}"
    os.mkdir(directory, 0o700)  # noqa: PTH102 - no pathlib, see above
    os.chdir(directory)
    os.rmdir(directory)  # noqa: PTH106 - no pathlib, see above
    os.chroot(".")


# A child

_address_space_bytes = 0
"""The address space of the fork server's process in bytes; 0 if it is unknown, as on macOS.

Each child starts with an address space of this size, and inherits this variable. What it may
use is this plus the limit of its own.
"""

_SPARE_BYTES: Final = 40 * BYTES_PER_MIB
"""More than 32 MiB, which the C library may keep for itself when they are freed (mallopt(3))."""
SPARE_MEMORY: Final[list[bytes]] = []
"""Memory that a child has beside what its code may take. It is cleared to report that there is no
other left, not even for the call of a function. Nothing is written to it, so it only takes
addresses."""


def measure_address_space() -> None:
    """Set `_address_space_bytes`. The server calls this while it can still read `/proc`."""
    global _address_space_bytes
    SPARE_MEMORY.append(bytes(_SPARE_BYTES))
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

    `needed_events` are the audit events (Python's reports of actions, such as `open`)
    that its code may cause. The audit hook, which refuses all others, comes last, because
    it would refuse the other steps here.
    """
    if Layer.PROCESS in layers:
        if Layer.KERNEL not in layers:
            leave_root()  # With the kernel layer, the fork server itself has given root up.
        _limit_child(limits)
    if Layer.KERNEL in layers and kernel is not None:
        kernel.filter_child()
    if Layer.PROCESS in layers:
        _refuse_actions(needed_events)


def _limit_child(limits: Limits | WorkerLimits) -> None:
    """Limit memory and CPU time, and forbid new descriptors and processes."""
    # 0, because the limit is for new descriptors only: the open connection stays.
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))

    if _address_space_bytes:
        max_bytes = _address_space_bytes + limits.memory_bytes
        _set_limit(resource.RLIMIT_AS, max_bytes, max_bytes)

    # The kernel counts whole seconds. At the first limit it sends SIGXCPU,
    # from which the parent knows why the child ended; at the second it kills
    # the child in any case.
    cpu_s = int(limits.trial_cpu_s) + 1
    _set_limit(resource.RLIMIT_CPU, cpu_s, cpu_s + 1)
