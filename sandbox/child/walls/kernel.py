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
machines, except for those in `system_calls.Machine`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import sys
from typing import Any, Final, NamedTuple

from controlplane.sandbox.child.walls.system_calls import (
    INSTRUCTION_BYTES,
    MACHINES,
    Machine,
    child_filter,
    server_filter,
)


class _ProcessOption(NamedTuple):
    """An option that a process sets for itself (linux/prctl.h), and the value to set."""

    number: int
    value: int


DIE_WITH_PARENT: Final = _ProcessOption(1, signal.SIGKILL)
"""PR_SET_PDEATHSIG: the kernel kills the process when its parent dies."""
UNDUMPABLE: Final = _ProcessOption(4, 0)
"""PR_SET_DUMPABLE: other processes of the same user cannot look into the process."""
NO_NEW_PRIVILEGES: Final = _ProcessOption(38, 1)
"""PR_SET_NO_NEW_PRIVS: programs that the process starts have no more rights than the process."""


def load() -> Kernel | None:
    """Return the parts of the kernel layer.

    None if this is not Linux, or if `MACHINES` does not have this processor.
    """
    if not sys.platform.startswith("linux"):
        return None
    machine = MACHINES.get(os.uname().machine)
    return None if machine is None else Kernel(machine)


# Flags of unshare (linux/sched.h)
_CLONE_NEWUSER: Final = 0x1000_0000
_NAMESPACE_FLAGS: Final = {
    "pid": 0x2000_0000,  # CLONE_NEWPID: no other process can be seen
    "ipc": 0x0800_0000,  # CLONE_NEWIPC: no shared memory of other processes
    "network": 0x4000_0000,  # CLONE_NEWNET: no network at all
    "mount": 0x0002_0000,  # CLONE_NEWNS: mounts can be changed for this process alone
    "uts": 0x0400_0000,  # CLONE_NEWUTS: a host name of its own
}


# Flags of mount (linux/mount.h) and umount2 (sys/mount.h)
_MS_RDONLY: Final = 1
_MS_NOSUID: Final = 2
_MS_NODEV: Final = 4
_MS_NOEXEC: Final = 8
_MS_REMOUNT: Final = 32
_MS_REC: Final = 1 << 14
_MS_PRIVATE: Final = 1 << 18
# No set-user-id programs, no devices, nothing executable
_HARDENED: Final = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
_MNT_DETACH: Final = 2


# Landlock: numbers of system calls, and what rules can forbid (linux/landlock.h)

_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_RESTRICT_SELF: Final = 446
_ONLY_RETURN_VERSION: Final = 1
"""LANDLOCK_CREATE_RULESET_VERSION, a flag: `_LANDLOCK_CREATE_RULESET`
only returns which version of Landlock the kernel has."""
_FILE_RIGHTS_BY_VERSION: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_FILE_RIGHTS_OF_LATER_VERSIONS: Final = 16
"""How many kinds of access to files a version of Landlock can forbid, such as reading and writing.
Each kind is a bit: version 1 has the bits 0 to 12, version 2 the bits 0 to 13."""
_FIRST_VERSION_WITH_NETWORK: Final = 4
_NETWORK_RIGHTS: Final = 0b11  # binding and connecting
_FIRST_VERSION_WITH_SCOPES: Final = 6
_SCOPES: Final = 0b11  # abstract sockets of other processes, and signals to them


# Capabilities (linux/capability.h)
_CAPABILITY_VERSION_3: Final = 0x2008_0522  # the present layout of the arguments
_CAPABILITY_SETS_BYTES: Final = 24
"""Three sets (effective, permitted, inheritable) of 64 bits."""

# Seccomp (linux/seccomp.h)
_SECCOMP_SET_MODE_FILTER: Final = 1  # an operation of the call: install a filter


class _FilterProgram(ctypes.Structure):
    """`struct sock_fprog`: a filter for seccomp."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class _CallFailed(Exception):
    """The kernel refused a system call; the message says why."""


class Kernel:
    """Restricts this process by the Linux kernel, for good, one part a method.

    Not every kernel offers every part. So each method returns "" if its part works, and
    otherwise why not: `capset: EPERM (Operation not permitted)`.
    """

    def __init__(self, machine: Machine) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        """The functions of the C library, most of which make one system call."""
        self._call_by_number: Any = self._library.syscall
        """Makes the system call of a number: for calls that the C library does not have."""
        self._call_by_number.restype = ctypes.c_long
        self._machine = machine
        """The processor's numbers of system calls."""
        self._child_filter = child_filter(machine)
        """Made now, so that a child need not make it again."""

    def set_option(self, option: _ProcessOption) -> str:
        """Set an option of this process. `prctl` takes its number, its value, and three zeros."""
        result = self._library.prctl(*option, 0, 0, 0)
        return _reason(result, "prctl")

    def unshare(self) -> dict[str, str]:
        """Enter new namespaces. Returns for each "", or the reason why it cannot be entered.

        The user namespace comes first, because a process that is root in it may enter the
        others. If it cannot be entered, the others are still tried: a process that is root
        of a container may enter them without it.
        """
        user = os.getuid()
        group = os.getgid()
        reason = _reason(self._library.unshare(_CLONE_NEWUSER), "unshare")
        if not reason:
            reason = _become_root_of_namespace(user, group)

        reasons = {"user namespace": reason}
        for name, flag in _NAMESPACE_FLAGS.items():
            result = self._library.unshare(flag)
            reasons[f"{name} namespace"] = _reason(result, "unshare")
        return reasons

    def empty_root(self) -> str:
        """Replace the file system by an empty, read-only directory. Needs a new mount namespace."""
        try:
            self._mount_empty_root()
        except _CallFailed as failure:
            return str(failure)
        os.chdir("/")
        return ""

    def _mount_empty_root(self) -> None:
        """Mount an empty file system as the root. Raises `_CallFailed`."""
        library = self._library
        # 1. From here on, changes of mounts stay in this namespace.
        result = library.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None)
        _require(result, "mount")

        # 2. Mount an empty file system in memory.
        options = b"size=4k,mode=555"
        result = library.mount(b"tmpfs", b"/tmp", b"tmpfs", _HARDENED, options)
        _require(result, "mount")

        # 3. Make it the root. `pivot_root(new_root, put_old)` mounts the old root at `put_old`.
        # If both are the same directory, the old root lies on top of the new one
        # (pivot_root(2)), so that unmounting the directory removes the old root.
        _require(library.chdir(b"/tmp"), "chdir")
        _require(
            self._call_by_number(self._machine.pivot_root, b".", b"."), "pivot_root"
        )
        _require(library.umount2(b".", _MNT_DETACH), "umount")

        # 4. Make it read-only.
        flags = _MS_REMOUNT | _MS_RDONLY | _HARDENED
        _require(library.mount(None, b"/", None, flags, None), "mount")

    def landlock(self) -> str:
        """Forbid this process every access to files, and connections and signals if this kernel can.

        Returns "" if that works, and otherwise why not: a kernel may not have Landlock.
        """
        version = self._call_by_number(
            _LANDLOCK_CREATE_RULESET, None, 0, _ONLY_RETURN_VERSION
        )
        if version < 1:  # This kernel has no landlock.
            return _reason(version, "landlock")

        attributes = _rule_set_attributes(version)
        rule_set = self._call_by_number(
            _LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0
        )
        if rule_set < 0:
            return _reason(rule_set, "landlock")
        result = self._call_by_number(_LANDLOCK_RESTRICT_SELF, rule_set, 0)
        reason = _reason(result, "landlock")
        os.close(rule_set)
        return reason

    def drop_capabilities(self) -> str:
        """Give up every capability of root."""
        this_process = 0
        header = struct.pack("=Ii", _CAPABILITY_VERSION_3, this_process)
        empty_sets = bytes(_CAPABILITY_SETS_BYTES)
        result = self._call_by_number(self._machine.capset, header, empty_sets)
        return _reason(result, "capset")

    def filter_server(self) -> str:
        """Forbid all system calls except those of the fork server and its children (seccomp)."""
        return self._install_filter(server_filter(self._machine))

    def filter_child(self) -> str:
        """Forbid a child also the system calls that only the fork server needs, such as `fork`."""
        return self._install_filter(self._child_filter)

    def _install_filter(self, packed_filter: bytes) -> str:
        """Give the kernel a filter: a program that it runs at each system call of this process."""
        instruction_count = len(packed_filter) // INSTRUCTION_BYTES
        program = _FilterProgram(instruction_count, packed_filter)
        number = self._machine.calls["seccomp"]
        result = self._call_by_number(
            number, _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(program)
        )
        return _reason(result, "seccomp")


def _reason(result: int, call: str) -> str:
    """Return why a call failed, given its result; empty if it did not fail."""
    if result >= 0:
        return ""
    code = ctypes.get_errno()
    return f"{call}: {errno.errorcode.get(code, code)} ({os.strerror(code)})"


def _require(result: int, call: str) -> None:
    """Raise `_CallFailed` if a call failed, given its result."""
    reason = _reason(result, call)
    if reason:
        raise _CallFailed(reason)


def _become_root_of_namespace(user: int, group: int) -> str:
    """Make the user of this process root of its new user namespace.

    In the files of `/proc`, `0 1000 1` says that user 0 (root) of the namespace is user
    1000 outside.
    """
    contents = {
        "setgroups": "deny",  # The kernel demands this before a group is mapped.
        "uid_map": f"0 {user} 1",
        "gid_map": f"0 {group} 1",
    }
    try:
        for name, content in contents.items():
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib is slow to import
                file.write(content)
    except OSError as error:
        return str(error)
    return ""


def _rule_set_attributes(version: int) -> bytes:
    """Return the fields of `struct landlock_ruleset_attr` for a rule set that allows nothing.

    A rule set forbids the kinds of access that it "handles", except where one of its
    rules allows them. This one has no rules, so it forbids all that it handles. A kernel
    refuses fields that it does not know, so they depend on its version.
    """
    count = _FILE_RIGHTS_BY_VERSION.get(version, _FILE_RIGHTS_OF_LATER_VERSIONS)
    all_file_rights = (1 << count) - 1  # as many bits
    handled = struct.pack("=Q", all_file_rights)  # handled_access_fs
    if version >= _FIRST_VERSION_WITH_NETWORK:
        handled += struct.pack("=Q", _NETWORK_RIGHTS)  # handled_access_net
    if version >= _FIRST_VERSION_WITH_SCOPES:
        handled += struct.pack("=Q", _SCOPES)  # scoped
    return handled
