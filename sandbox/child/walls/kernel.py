"""The kernel layer: restrictions by the Linux kernel that a process places on itself.

It has these parts. Each works by itself, and none needs the rights of root:

- namespaces: processes, network, mounts and so on are those of the sandbox alone;
- an empty root: there are no files;
- no capabilities: the process has none of root's rights;
- Landlock: the kernel forbids access to files and connections, even within reach;
- seccomp: the kernel forbids all system calls except a few.

Not every kernel offers every part. So the method of a part returns ""
if the part works, and otherwise why it does not. Children inherit the parts
of the process that forked them.

Numbers of options and flags are from the headers of the kernel and are the same on all
machines, except for those in `machines.Machine`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from typing import Final, NamedTuple

from controlplane.sandbox.child.walls import file_walls, namespaces
from controlplane.sandbox.child.walls.machines import MACHINES, Machine
from controlplane.sandbox.child.walls.seccomp import child_filter, server_filter
from controlplane.sandbox.child.walls.system_calls import SystemCalls


class ProcessOption(NamedTuple):
    """An option that a process sets for itself (linux/prctl.h), and the value to set."""

    number: int
    value: int


DIE_WITH_PARENT: Final = ProcessOption(1, signal.SIGKILL)
"""PR_SET_PDEATHSIG: the kernel kills the process when its parent dies."""
UNDUMPABLE: Final = ProcessOption(4, 0)
"""PR_SET_DUMPABLE: other processes of the same user cannot look into the process."""
NO_NEW_PRIVILEGES: Final = ProcessOption(38, 1)
"""PR_SET_NO_NEW_PRIVS: programs that the process starts have no more rights than the process."""


def load() -> Kernel | None:
    """Return the parts of the kernel layer.

    None if this is not Linux, or if `machines.MACHINES` does not have this processor.
    """
    if not sys.platform.startswith("linux"):
        return None
    machine = MACHINES.get(os.uname().machine)
    return None if machine is None else Kernel(machine)


# Capabilities (linux/capability.h)
_CAPABILITY_VERSION_3: Final = 0x2008_0522  # the present layout of the arguments
_CAPABILITY_SETS_BYTES: Final = 24
"""Three sets (effective, permitted, inheritable) of 64 bits."""

# Seccomp (linux/seccomp.h)
_SECCOMP_SET_MODE_FILTER: Final = 1  # an operation of the call: install a filter
_INSTRUCTION_BYTES: Final = 8


class _FilterProgram(ctypes.Structure):
    """`struct sock_fprog`: a filter for seccomp."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class Kernel:
    """Restricts this process by the Linux kernel, for good, one part a method.

    Not every kernel offers every part. So each method returns "" if its part works, and
    otherwise why not: `capset: EPERM (Operation not permitted)`.
    """

    def __init__(self, machine: Machine) -> None:
        self._calls = SystemCalls()
        """Makes system calls by the C library, and describes their errors."""
        self._machine = machine
        """The processor's numbers of system calls."""
        self._child_filter = child_filter(machine)
        """Made now, so that a child need not make it again."""

    def set_option(self, option: ProcessOption) -> str:
        """Set an option of this process. `prctl` takes its number, its value, and three zeros."""
        result = self._calls.library.prctl(*option, 0, 0, 0)
        return self._calls.reason(result, "prctl")

    def unshare(self) -> dict[str, str]:
        """Enter new namespaces: this process sees only its own processes, network and mounts.

        Returns for each namespace "", or the reason why it cannot be entered.
        """
        return namespaces.unshare(self._calls)

    def empty_root(self) -> str:
        """Replace the file system by an empty, read-only directory. Needs a new mount namespace."""
        return file_walls.empty_root(self._calls, self._machine)

    def landlock(self) -> str:
        """Forbid every access to files, and connections and signals if this kernel can."""
        return file_walls.landlock(self._calls)

    def drop_capabilities(self) -> str:
        """Give up every capability of root."""
        this_process = 0
        header = struct.pack("=Ii", _CAPABILITY_VERSION_3, this_process)
        empty_sets = bytes(_CAPABILITY_SETS_BYTES)
        result = self._calls.by_number(self._machine.capset, header, empty_sets)
        return self._calls.reason(result, "capset")

    def filter_server(self) -> str:
        """Forbid all system calls except those of the fork server and its children (seccomp)."""
        return self._install_filter(server_filter(self._machine))

    def filter_child(self) -> str:
        """Forbid a child also the system calls that only the fork server needs, such as `fork`."""
        return self._install_filter(self._child_filter)

    def _install_filter(self, packed_filter: bytes) -> str:
        """Give the kernel a filter: a program that it runs at each system call of this process."""
        instruction_count = len(packed_filter) // _INSTRUCTION_BYTES
        program = _FilterProgram(instruction_count, packed_filter)
        number = self._machine.calls["seccomp"]
        result = self._calls.by_number(
            number, _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(program)
        )
        return self._calls.reason(result, "seccomp")
