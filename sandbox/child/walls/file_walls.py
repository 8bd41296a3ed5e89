"""The two walls of the kernel layer around files: an empty root directory, and Landlock.

Each function returns "" if its wall stands, else the reason why not.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import Any, Final, NamedTuple

# Numbers of system calls, by processor: what the walls need to call or to permit.
#
# The Linux kernel knows a system call, such as `read`, by a number that differs between kinds of
# processors. `MACHINES["x86_64"].calls["write"]` is 1, and on `aarch64` it is 64.


def _numbers(table: str) -> dict[str, int]:
    """Return call numbers by name: `"read=0 write=1"` -> `{"read": 0, "write": 1}`."""
    numbers = {}
    for entry in table.split():
        name, _, number = entry.partition("=")
        numbers[name] = int(number)
    return numbers


class Machine(NamedTuple):
    """A processor architecture, and its numbers of the system calls that the sandbox needs."""

    audit_number: int
    """The architecture's number in `seccomp_data` (linux/audit.h)."""
    has_x32: bool
    """True if the kernel also accepts a second set of call numbers, for programs
    with 32-bit pointers. The filter kills a process that uses them, since
    it does not check them."""
    capset: int
    """The number of the call `capset`. The fork server makes it once, before it installs its
    filter, so it is not among `calls`."""
    pivot_root: int
    """The number of the call `pivot_root`, which is made before the filter, too."""
    calls: dict[str, int]
    """The numbers of the calls that the server's filter permits, by name."""


MACHINES: Final = {
    "x86_64": Machine(
        audit_number=0xC000003E,
        has_x32=True,
        capset=126,
        pivot_root=155,
        calls=_numbers(
            "read=0 write=1 close=3 fstat=5 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 brk=12 "
            "rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 sched_yield=24 mremap=25 "
            "madvise=28 nanosleep=35 getitimer=36 setitimer=38 getpid=39 sendto=44 recvfrom=45 "
            "sendmsg=46 shutdown=48 socketpair=53 clone=56 fork=57 exit=60 wait4=61 kill=62 "
            "fcntl=72 getrusage=98 sigaltstack=131 prctl=157 setrlimit=160 gettid=186 futex=202 "
            "restart_syscall=219 clock_gettime=228 clock_nanosleep=230 exit_group=231 ppoll=271 "
            "set_robust_list=273 prlimit64=302 seccomp=317 getrandom=318 rseq=334"
        ),
    ),
    "aarch64": Machine(
        audit_number=0xC00000B7,
        has_x32=False,
        capset=91,
        pivot_root=41,
        calls=_numbers(
            "read=63 write=64 close=57 fstat=80 ppoll=73 lseek=62 mmap=222 mprotect=226 munmap=215 "
            "brk=214 rt_sigaction=134 rt_sigprocmask=135 rt_sigreturn=139 ioctl=29 sched_yield=124 "
            "mremap=216 madvise=233 nanosleep=101 getitimer=102 setitimer=103 getpid=172 sendto=206 "
            "recvfrom=207 sendmsg=211 shutdown=210 socketpair=199 clone=220 exit=93 wait4=260 "
            "kill=129 fcntl=25 getrusage=165 sigaltstack=132 prctl=167 setrlimit=164 gettid=178 "
            "futex=98 restart_syscall=128 clock_gettime=113 clock_nanosleep=115 exit_group=94 "
            "set_robust_list=99 prlimit64=261 seccomp=277 getrandom=278 rseq=293"
        ),
    ),
}


# System calls that Python's library does not have, made by ctypes.
#
# The kernel returns a negative number for a call that failed. The methods here turn it
# into the reason, such as `mount: EPERM (Operation not permitted)`.


class CallFailed(Exception):
    """The kernel refused a system call; the message says why."""


class SystemCalls:
    """Makes system calls."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)
        """The functions of the C library, most of which make one system call."""
        self.by_number: Any = self.library.syscall
        """Makes the system call of a number: for calls that the C library does not have."""
        self.by_number.restype = ctypes.c_long

    def reason(self, result: int, call: str) -> str:
        """Return why a call failed, given its result; empty if it did not fail."""
        if result >= 0:
            return ""
        code = ctypes.get_errno()
        return f"{call}: {errno.errorcode.get(code, code)} ({os.strerror(code)})"

    def require(self, result: int, call: str) -> None:
        """Raise `CallFailed` if a call failed, given its result."""
        reason = self.reason(result, call)
        if reason:
            raise CallFailed(reason)


# Namespaces: processes, network, mounts and so on are those of the sandbox alone.

# Flags of unshare (linux/sched.h)
_CLONE_NEWUSER: Final = 0x1000_0000
_NAMESPACE_FLAGS: Final = {
    "pid": 0x2000_0000,  # CLONE_NEWPID: no other process can be seen
    "ipc": 0x0800_0000,  # CLONE_NEWIPC: no shared memory of other processes
    "network": 0x4000_0000,  # CLONE_NEWNET: no network at all
    "mount": 0x0002_0000,  # CLONE_NEWNS: mounts can be changed for this process alone
    "uts": 0x0400_0000,  # CLONE_NEWUTS: a host name of its own
}


def unshare(calls: SystemCalls) -> dict[str, str]:
    """Enter new namespaces. Returns for each "", or the reason why it cannot be entered.

    The user namespace comes first, because a process that is root in it may enter the
    others. If it cannot be entered, the others are still tried: a process that is root
    of a container may enter them without it.
    """
    user = os.getuid()
    group = os.getgid()
    reason = calls.reason(calls.library.unshare(_CLONE_NEWUSER), "unshare")
    if not reason:
        reason = _become_root_of_namespace(user, group)

    reasons = {"user namespace": reason}
    for name, flag in _NAMESPACE_FLAGS.items():
        result = calls.library.unshare(flag)
        reasons[f"{name} namespace"] = calls.reason(result, "unshare")
    return reasons


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


# The empty root

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


def empty_root(calls: SystemCalls, machine: Machine) -> str:
    """Replace the file system by an empty, read-only directory. Needs a new mount namespace."""
    try:
        _mount_empty_root(calls, machine)
    except CallFailed as failure:
        return str(failure)
    os.chdir("/")
    return ""


def _mount_empty_root(calls: SystemCalls, machine: Machine) -> None:
    """Mount an empty file system as the root. Raises `CallFailed`."""
    library = calls.library
    # 1. From here on, changes of mounts stay in this namespace.
    result = library.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None)
    calls.require(result, "mount")

    # 2. Mount an empty file system in memory.
    options = b"size=4k,mode=555"
    result = library.mount(b"tmpfs", b"/tmp", b"tmpfs", _HARDENED, options)
    calls.require(result, "mount")

    # 3. Make it the root. `pivot_root(new_root, put_old)` mounts the old root at `put_old`.
    # If both are the same directory, the old root lies on top of the new one
    # (pivot_root(2)), so that unmounting the directory removes the old root.
    calls.require(library.chdir(b"/tmp"), "chdir")
    calls.require(calls.by_number(machine.pivot_root, b".", b"."), "pivot_root")
    calls.require(library.umount2(b".", _MNT_DETACH), "umount")

    # 4. Make it read-only.
    flags = _MS_REMOUNT | _MS_RDONLY | _HARDENED
    calls.require(library.mount(None, b"/", None, flags, None), "mount")


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


def landlock(calls: SystemCalls) -> str:
    """Forbid this process every access to files, and connections and signals if this kernel can.

    Returns "" if that works, and otherwise why not: a kernel may not have Landlock.
    """
    version = calls.by_number(_LANDLOCK_CREATE_RULESET, None, 0, _ONLY_RETURN_VERSION)
    if version < 1:  # This kernel has no landlock.
        return calls.reason(version, "landlock")

    attributes = _rule_set_attributes(version)
    rule_set = calls.by_number(_LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    if rule_set < 0:
        return calls.reason(rule_set, "landlock")
    result = calls.by_number(_LANDLOCK_RESTRICT_SELF, rule_set, 0)
    reason = calls.reason(result, "landlock")
    os.close(rule_set)
    return reason


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
