"""The kernel layer, on Linux, by ctypes and without root.

Its parts are namespaces, an empty root, no capabilities, Landlock and seccomp. The method of a part
returns "" if the part works, else the reason why not. Children inherit the parts of their server.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import sys
from typing import Any, Final, NamedTuple

from controlplane.sandbox.child.walls.seccomp import MACHINES, Machine, child_filter, server_filter


class ProcessOption(NamedTuple):
    """An option that a process sets for itself (prctl)."""

    number: int
    value: int


DIE_WITH_PARENT: Final = ProcessOption(1, signal.SIGKILL)
NO_NEW_PRIVILEGES: Final = ProcessOption(38, 1)
"""Programs that the process starts give it no further rights."""
UNDUMPABLE: Final = ProcessOption(4, 0)
"""Other processes of the same user cannot look into the process."""

# Flags of unshare (linux/sched.h)
_NEW_USER: Final = 0x10000000
_NAMESPACES: Final = {
    "pid": 0x20000000,
    "ipc": 0x08000000,
    "network": 0x40000000,
    "mount": 0x00020000,
    "uts": 0x04000000,
}

# Flags of mount and umount (sys/mount.h)
_READ_ONLY: Final = 1
_REMOUNT: Final = 32
_RECURSIVE: Final = 16384
_PRIVATE: Final = 1 << 18
_HARDENED: Final = 2 | 4 | 8  # no set-user-id, no devices, no programs
_DETACH: Final = 2

# Landlock (linux/landlock.h)
_LANDLOCK_CREATE: Final = 444
_LANDLOCK_RESTRICT: Final = 446
_LANDLOCK_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""Kinds of file access that each version of Landlock can forbid; 16 from version 5 on."""
_LANDLOCK_NETWORK: Final = 3  # binding and connecting, from version 4 on
_LANDLOCK_SCOPES: Final = 3  # abstract sockets and signals, from version 6 on

_CAPABILITY_VERSION: Final = 0x20080522


class _FilterProgram(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


_INSTRUCTION_BYTES: Final = 8
_SECCOMP_FILTER: Final = 1


class CallFailed(Exception):
    """The kernel refused a system call; the message says why."""


def load() -> Kernel | None:
    """Return the kernel's calls; None where the numbers of the calls are not known."""
    if not sys.platform.startswith("linux"):
        return None
    machine = MACHINES.get(os.uname().machine)
    return None if machine is None else Kernel(machine)


class Kernel:
    """The system calls that Python's library does not have."""

    def __init__(self, machine: Machine) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._syscall: Any = self._library.syscall
        self._syscall.restype = ctypes.c_long
        self._machine = machine
        self._child_filter = child_filter(machine)

    def control(self, option: ProcessOption) -> str:
        """Set an option of this process."""
        return self._fault_of(self._library.prctl(*option, 0, 0, 0), "prctl")

    def unshare(self) -> dict[str, str]:
        """Enter namespaces of our own: user, and in it the others. Returns reasons by part."""
        user = os.getuid()
        group = os.getgid()
        fault = self._fault_of(self._library.unshare(_NEW_USER), "unshare")
        report = {"user namespace": fault or _write_maps(user, group)}
        for name, flag in _NAMESPACES.items():
            report[f"{name} namespace"] = self._fault_of(self._library.unshare(flag), "unshare")
        return report

    def empty_root(self) -> str:
        """Replace the file system by an empty, read-only directory.

        Needs a mount namespace of our own.
        """
        library = self._library
        try:
            # From here on, mounts are those of our namespace alone.
            self._require("mount", library.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None))

            # An empty file system takes the place of the root, which is then unmounted.
            options = b"size=4k,mode=555"
            result = library.mount(b"tmpfs", b"/tmp", b"tmpfs", _HARDENED, options)
            self._require("mount", result)
            self._require("chdir", library.chdir(b"/tmp"))
            self._require("pivot_root", self._syscall(self._machine.pivot_root, b".", b"."))
            self._require("umount", library.umount2(b".", _DETACH))

            flags = _REMOUNT | _READ_ONLY | _HARDENED
            self._require("mount", library.mount(None, b"/", None, flags, None))
        except CallFailed as failure:
            return str(failure)
        os.chdir("/")
        return ""

    def landlock(self) -> str:
        """Forbid every access to files, and everything else that this kernel's Landlock can."""
        version = self._syscall(_LANDLOCK_CREATE, None, 0, 1)
        if version < 1:
            return self._fault_of(version, "landlock")

        # The kernel refuses fields that its version does not know.
        file_rights = (1 << _LANDLOCK_FILE_RIGHTS.get(version, 16)) - 1
        rules = struct.pack("=Q", file_rights)
        if version >= 4:
            rules += struct.pack("=Q", _LANDLOCK_NETWORK)
        if version >= 6:
            rules += struct.pack("=Q", _LANDLOCK_SCOPES)

        rule_set = self._syscall(_LANDLOCK_CREATE, rules, len(rules), 0)
        if rule_set < 0:
            return self._fault_of(rule_set, "landlock")
        fault = self._fault_of(self._syscall(_LANDLOCK_RESTRICT, rule_set, 0), "landlock")
        os.close(rule_set)
        return fault

    def drop_capabilities(self) -> str:
        """Give up every capability."""
        header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
        no_capabilities = bytes(24)
        result = self._syscall(self._machine.capset, header, no_capabilities)
        return self._fault_of(result, "capset")

    def filter_server(self) -> str:
        """Allow the system calls of server and children, and no others."""
        return self._install(server_filter(self._machine))

    def filter_child(self) -> str:
        """Remove the system calls that only the server needs."""
        return self._install(self._child_filter)

    def _install(self, packed_filter: bytes) -> str:
        program = _FilterProgram(len(packed_filter) // _INSTRUCTION_BYTES, packed_filter)
        number = self._machine.calls["seccomp"]
        result = self._syscall(number, _SECCOMP_FILTER, 0, ctypes.byref(program))
        return self._fault_of(result, "seccomp")

    def _require(self, call: str, result: int) -> None:
        """Raise `CallFailed` if a call failed."""
        fault = self._fault_of(result, call)
        if fault:
            raise CallFailed(fault)

    def _fault_of(self, result: int, call: str) -> str:
        """Return why a call failed; empty if it did not."""
        if result >= 0:
            return ""
        code = ctypes.get_errno()
        return f"{call}: {errno.errorcode.get(code, code)} ({os.strerror(code)})"


def _write_maps(user: int, group: int) -> str:
    """Make the user of this process root in its user namespace. Returns the reason if refused."""
    texts = {"setgroups": "deny", "uid_map": f"0 {user} 1", "gid_map": f"0 {group} 1"}
    try:
        for name, text in texts.items():
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib is slow to import
                file.write(text)
    except OSError as error:
        return str(error)
    return ""
