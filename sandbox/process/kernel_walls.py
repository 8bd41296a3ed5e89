"""The kernel wall by ctypes: namespaces, an empty root, no capabilities, Landlock, seccomp. Linux only, without root.

Each part returns "" if it stands, else the reason why not; none raises, because the other walls stand without it. All
but the last filter is put on the fork server, and children inherit it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable
from typing import Any, Final

from sandbox.process.system_call_filters import child_filter, machine, server_filter

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    *(0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000),
)
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_CALLS: Final = {"x86_64": 317, "aarch64": 277}
_LANDLOCK_CREATE: Final = 444
_LANDLOCK_RESTRICT: Final = 446
_CAPSET: Final = {"x86_64": 126, "aarch64": 91}
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}
_MS_READ_ONLY, _MS_REMOUNT, _MS_REC, _MS_PRIVATE = 1, 32, 16384, 1 << 18
_MS_HARDENED: Final = 2 | 4 | 8
_MNT_DETACH: Final = 2
_LANDLOCK_FILES: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many kinds of file access each version of Landlock can forbid; 16 from version 5 on."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class Kernel:
    """The system calls that Python's library does not have."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._syscall: Any = self._library.syscall
        self._syscall.restype = ctypes.c_long
        self._name = os.uname().machine
        self._machine = machine()
        self._child_program = None
        if self._machine is not None:
            packed = child_filter(self._machine)
            self._child_program = _Program(len(packed) // 8, packed)

    def die_with_parent(self) -> str:
        """Have the kernel kill this process when its parent ends."""
        return self._checked(self._library.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "prctl")

    def unshare(self) -> dict[str, str]:
        """Enter namespaces of our own: user, and in it pid, ipc, network, mounts, host name. Returns part: reason."""
        user, group = os.getuid(), os.getgid()
        failed = self._checked(self._library.unshare(_NEWUSER), "unshare")
        if not failed:
            failed = _write_maps(user, group)
        result = {"user namespace": failed}
        for name, flag in (
            ("pid", _NEWPID),
            ("ipc", _NEWIPC),
            ("network", _NEWNET),
            ("mount", _NEWNS),
            ("uts", _NEWUTS),
        ):
            result[f"{name} namespace"] = self._checked(self._library.unshare(flag), "unshare")
        return result

    def empty_root(self) -> str:
        """Put an empty, read-only directory in the place of the file system. Needs a mount namespace of our own."""
        steps: tuple[Callable[[], int], ...] = (
            lambda: self._library.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None),
            lambda: self._library.mount(b"tmpfs", b"/tmp", b"tmpfs", _MS_HARDENED, b"size=4k,mode=555"),
            lambda: self._library.chdir(b"/tmp"),
            lambda: self._syscall(_PIVOT_ROOT[self._name], b".", b"."),
            lambda: self._library.umount2(b".", _MNT_DETACH),
            lambda: self._library.mount(None, b"/", None, _MS_REMOUNT | _MS_READ_ONLY | _MS_HARDENED, None),
        )
        for step in steps:
            try:
                failed = self._checked(step(), "mount")
            except (OSError, KeyError) as error:
                failed = str(error)
            if failed:
                return failed
        os.chdir("/")
        return ""

    def landlock(self) -> str:
        """Forbid every access to files, and what else this kernel's Landlock can forbid."""
        version = self._syscall(_LANDLOCK_CREATE, None, 0, 1)
        if version < 1:
            return self._checked(version, "landlock")
        files = (1 << _LANDLOCK_FILES.get(version, 16)) - 1
        rules = struct.pack("=QQQ", files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
        size = 24 if version >= 6 else 16 if version >= 4 else 8
        ruleset = self._syscall(_LANDLOCK_CREATE, rules, size, 0)
        if ruleset < 0:
            return self._checked(ruleset, "landlock")
        failed = self._checked(self._syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock")
        os.close(ruleset)
        return failed

    def drop_capabilities(self) -> str:
        """Give up every capability."""
        number = _CAPSET.get(self._name)
        if number is None:
            return f"unknown machine {self._name}"
        header = struct.pack("=Ii", 0x20080522, 0)
        return self._checked(self._syscall(number, header, bytes(24)), "capset")

    def no_new_privileges(self) -> str:
        """Make it impossible to gain privileges by running a program."""
        return self._checked(self._library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")

    def undumpable(self) -> str:
        """Keep other processes of the same user from looking into this one."""
        return self._checked(self._library.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl")

    def filter_server(self) -> str:
        """Allow the system calls of server and children, and no others."""
        if self._machine is None:
            return f"the call numbers of {self._name} are not known here"
        packed = server_filter(self._machine)
        return self._install(_Program(len(packed) // 8, packed))

    def filter_child(self) -> str:
        """Take away the system calls that only the server needs."""
        return "" if self._child_program is None else self._install(self._child_program)

    def _install(self, program: _Program) -> str:
        number = _SECCOMP_CALLS[self._name]
        return self._checked(self._syscall(number, 1, 0, ctypes.byref(program)), "seccomp")

    def _checked(self, result: int, call: str) -> str:
        if result >= 0:
            return ""
        code = ctypes.get_errno()
        return f"{call}: {errno.errorcode.get(code, code)} ({os.strerror(code)})"


def _write_maps(user: int, group: int) -> str:
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
            try:
                os.write(descriptor, text.encode("ascii"))
            finally:
                os.close(descriptor)
    except OSError as error:
        return str(error)
    return ""


def load() -> Kernel | None:
    """Return the kernel's calls, or None on another system than Linux."""
    return Kernel() if sys.platform == "linux" else None
