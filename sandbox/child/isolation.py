"""The isolation around the server and its children: the process layer, by limits and an audit hook, and the kernel
layer.

Process layer: the interpreter announces actions that leave it by audit events (PEP 578), and a hook refuses every event
that a step does not need; it sees neither code in C nor system calls made by other means. Kernel layer, on Linux, by
ctypes and without root: namespaces, an empty root, no capabilities, Landlock, seccomp. Each of its parts returns "" if
it stands, else the reason why not; children inherit them, and their own filter removes the calls of servers.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from controlplane.sandbox.interface.host import Layer, Limits, WorkerLimits

NEEDED: Final = frozenset(
    {
        *(
            "compile",
            "exec",
            "function.__new__",
            "builtins.id",
            "object.__getattr__",
            "object.__setattr__",
        ),
        *("sys._getframe", "sys._getframemodulename", "sys.unraisablehook"),
    }
)
"""Events of ordinary scripts and the library: they run code, make classes, evaluate annotations, and report the error
of a generator that nobody waits for."""
NOBODY: Final = 65_534

_address_space_bytes = 0


def measure_address_space() -> None:
    """Note the address space of this process, while `/proc` can still be read; children start with the same size."""
    global _address_space_bytes
    if sys.platform.startswith("linux"):
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            _address_space_bytes = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


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
    _bound(resource.RLIMIT_NOFILE, 32, 32)


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
    # Far above the user numbers that systems assign; with the process number added, a user of its own.
    for user in ((1 << 30) + os.getpid(), NOBODY):
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            return


HINT: Final = "; clocks stand still in scripts, so bound a search by its rounds"


@contextmanager
def longer_call(longest_s: float) -> Iterator[None]:
    """Let the step's wall-clock time stand still for the length of the block, for at most `longest_s` seconds."""
    left_s = signal.getitimer(signal.ITIMER_REAL)[0]
    if left_s:
        signal.setitimer(signal.ITIMER_REAL, left_s + longest_s)
    try:
        yield
    finally:
        if left_s:
            signal.setitimer(
                signal.ITIMER_REAL, min(left_s, signal.getitimer(signal.ITIMER_REAL)[0] or 0.001)
            )


@contextmanager
def step_timers(limits: Limits, expire: Callable[[str], None]) -> Iterator[None]:
    """Call `expire(reason)` when the step's time is over. The kernel ends a step that is busy in C code."""

    over_wall = f"the step ran longer than {limits.step_wall_s:g} s{HINT}"
    over_cpu = f"the step used more than {limits.step_cpu_s:g} s of CPU{HINT}"
    signal.signal(signal.SIGALRM, lambda number, frame: expire(over_wall))
    signal.signal(signal.SIGPROF, lambda number, frame: expire(over_cpu))
    signal.setitimer(signal.ITIMER_REAL, limits.step_wall_s)
    signal.setitimer(signal.ITIMER_PROF, limits.step_cpu_s)
    # CPU seconds beyond its limit after which the kernel ends a step: its time to send its results.
    signal.setitimer(signal.ITIMER_VIRTUAL, limits.step_cpu_s + 0.2)
    try:
        yield
    finally:
        for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):
            signal.setitimer(timer, 0)


DIE_WITH_PARENT: Final = 1, signal.SIGKILL
NO_NEW_PRIVILEGES: Final = 38, 1
"""Programs that it starts give it no further rights."""
UNDUMPABLE: Final = 4, 0
"""Other processes of the same user cannot look into it."""
_NEWUSER: Final = 0x10000000
_NAMESPACES: Final = {
    "pid": 0x20000000,
    "ipc": 0x08000000,
    "network": 0x40000000,
    "mount": 0x00020000,
    "uts": 0x04000000,
}
_LANDLOCK_CREATE: Final = 444
_LANDLOCK_RESTRICT: Final = 446
_MS_READ_ONLY, _MS_REMOUNT, _MS_REC, _MS_PRIVATE = 1, 32, 16384, 1 << 18
_MS_HARDENED: Final = 2 | 4 | 8
_MNT_DETACH: Final = 2
_LANDLOCK_FILES: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""Kinds of file access that each version of Landlock can forbid; 16 from version 5 on."""


def _numbers(table: str) -> dict[str, int]:
    """Return call numbers by name, from a text such as `read=0 write=1`."""
    return {name: int(number) for name, number in (entry.split("=") for entry in table.split())}


class Machine(NamedTuple):
    """An architecture whose call numbers are known."""

    audit: int
    has_x32: bool
    capset: int
    pivot_root: int
    calls: dict[str, int]
    """The calls of server and children."""


MACHINES: Final = {
    "x86_64": Machine(
        0xC000003E,
        has_x32=True,
        capset=126,
        pivot_root=155,
        calls=_numbers(
            "read=0 write=1 close=3 fstat=5 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 brk=12 rt_sigaction=13 "
            "rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 sched_yield=24 mremap=25 madvise=28 nanosleep=35 getitimer=36 "
            "setitimer=38 getpid=39 sendto=44 recvfrom=45 sendmsg=46 shutdown=48 socketpair=53 clone=56 "
            "fork=57 exit=60 wait4=61 kill=62 fcntl=72 getrusage=98 sigaltstack=131 prctl=157 setrlimit=160 gettid=186 "
            "futex=202 restart_syscall=219 clock_gettime=228 clock_nanosleep=230 exit_group=231 "
            "ppoll=271 set_robust_list=273 prlimit64=302 seccomp=317 getrandom=318 rseq=334"
        ),
    ),
    "aarch64": Machine(
        0xC00000B7,
        has_x32=False,
        capset=91,
        pivot_root=41,
        calls=_numbers(
            "read=63 write=64 close=57 fstat=80 ppoll=73 lseek=62 mmap=222 mprotect=226 munmap=215 brk=214 "
            "rt_sigaction=134 rt_sigprocmask=135 rt_sigreturn=139 ioctl=29 sched_yield=124 mremap=216 madvise=233 "
            "nanosleep=101 getitimer=102 setitimer=103 getpid=172 sendto=206 recvfrom=207 sendmsg=211 "
            "shutdown=210 socketpair=199 clone=220 exit=93 wait4=260 kill=129 fcntl=25 getrusage=165 sigaltstack=132 "
            "prctl=167 setrlimit=164 gettid=178 futex=98 restart_syscall=128 clock_gettime=113 "
            "clock_nanosleep=115 exit_group=94 set_robust_list=99 prlimit64=261 seccomp=277 getrandom=278 rseq=293"
        ),
    ),
}
SERVER_ONLY: Final = frozenset(
    {
        *("clone", "fork", "wait4", "kill", "socketpair", "sendmsg", "prctl"),
        *("setrlimit", "prlimit64", "seccomp", "ioctl", "fcntl", "getrandom"),
    }
)
"""Calls for forking and setting up a child, which the child does not need afterwards."""

_Instruction = tuple[int, int, int, int]
_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | 1
_KILL: Final = 0x80000000
_NUMBER_AT: Final = 0
_ARCH_AT: Final = 4
_THIRD_ARGUMENT_AT: Final = 32
_PROT_EXEC: Final = 4
_X32_BIT: Final = 0x40000000


def server_filter(here: Machine) -> bytes:
    """Return the filter that allows the calls that server and children need, but never executable memory."""
    watched = [here.calls["mmap"], here.calls["mprotect"]]
    program = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_EQUAL, 1, 0, here.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if here.has_x32:
        program += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    program += _any_of(sorted(set(here.calls.values()) - set(watched)), _ALLOW)
    program += [(_EQUAL, 2, 0, watched[0]), (_EQUAL, 1, 0, watched[1]), (_RETURN, 0, 0, _REFUSE)]
    program += [(_LOAD, 0, 0, _THIRD_ARGUMENT_AT), (_ANY_BIT, 0, 1, _PROT_EXEC)]
    program += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return _packed(program)


def child_filter(here: Machine) -> bytes:
    """Return the filter that removes the calls that only the server needs; the server's filter holds beside it."""
    denied = sorted(here.calls[name] for name in SERVER_ONLY if name in here.calls)
    return _packed([(_LOAD, 0, 0, _NUMBER_AT), *_any_of(denied, _REFUSE), (_RETURN, 0, 0, _ALLOW)])


def _any_of(numbers: list[int], verdict: int) -> list[_Instruction]:
    """Return instructions that give `verdict` for any of the numbers and fall through for the rest."""
    last = len(numbers) - 1
    program: list[_Instruction] = [
        (_EQUAL, last - index, 0, number) for index, number in enumerate(numbers)
    ]
    program[last] = (_EQUAL, 0, 1, numbers[last])
    return [*program, (_RETURN, 0, 0, verdict)]


def _packed(program: list[_Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class Kernel:
    """The system calls that Python's library does not have."""

    def __init__(self, here: Machine) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._syscall: Any = self._library.syscall
        self._syscall.restype = ctypes.c_long
        self._machine = here
        self._child_filter = child_filter(here)

    def control(self, option: tuple[int, int]) -> str:
        """Set an option of this process."""
        return self._checked(self._library.prctl(*option, 0, 0, 0), "prctl")

    def unshare(self) -> dict[str, str]:
        """Enter namespaces of our own: user, and in it pid, ipc, network, mounts, host name. Returns part: reason."""
        user, group = os.getuid(), os.getgid()
        failed = self._checked(self._library.unshare(_NEWUSER), "unshare")
        result = {"user namespace": failed or _write_maps(user, group)}
        for name, flag in _NAMESPACES.items():
            result[f"{name} namespace"] = self._checked(self._library.unshare(flag), "unshare")
        return result

    def empty_root(self) -> str:
        """Replace the file system by an empty, read-only directory. Needs a mount namespace of our own."""
        steps: tuple[Callable[[], int], ...] = (
            lambda: self._library.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None),
            lambda: self._library.mount(
                b"tmpfs", b"/tmp", b"tmpfs", _MS_HARDENED, b"size=4k,mode=555"
            ),
            lambda: self._library.chdir(b"/tmp"),
            lambda: self._syscall(self._machine.pivot_root, b".", b"."),
            lambda: self._library.umount2(b".", _MNT_DETACH),
            lambda: self._library.mount(
                None, b"/", None, _MS_REMOUNT | _MS_READ_ONLY | _MS_HARDENED, None
            ),
        )
        for step in steps:
            if failed := self._checked(step(), "mount"):
                return failed
        os.chdir("/")
        return ""

    def landlock(self) -> str:
        """Forbid every access to files, and everything else that this kernel's Landlock can forbid."""
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
        header = struct.pack("=Ii", 0x20080522, 0)
        return self._checked(self._syscall(self._machine.capset, header, bytes(24)), "capset")

    def filter_server(self) -> str:
        """Allow the system calls of server and children, and no others."""
        return self._install(server_filter(self._machine))

    def filter_child(self) -> str:
        """Remove the system calls that only the server needs."""
        return self._install(self._child_filter)

    def _install(self, packed: bytes) -> str:
        program = _Program(len(packed) // 8, packed)
        return self._checked(
            self._syscall(self._machine.calls["seccomp"], 1, 0, ctypes.byref(program)), "seccomp"
        )

    def _checked(self, result: int, call: str) -> str:
        if result >= 0:
            return ""
        code = ctypes.get_errno()
        return f"{call}: {errno.errorcode.get(code, code)} ({os.strerror(code)})"


def _write_maps(user: int, group: int) -> str:
    try:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {user} 1"),
            ("gid_map", f"0 {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib is slow to import
                file.write(text)
    except OSError as error:
        return str(error)
    return ""


def load() -> Kernel | None:
    """Return the kernel's calls; None where their numbers are not known, since no filter of calls can be made there."""
    here = MACHINES.get(os.uname().machine) if sys.platform == "linux" else None
    return Kernel(here) if here else None


def confine_child(
    kernel: Kernel | None,
    layers: frozenset[Layer],
    limits: Limits | WorkerLimits,
    needed: frozenset[str],
) -> None:
    """Put these layers around this child, for good: bound its memory (in MiB, beyond the bare process) and its CPU
    seconds, allow it no further descriptor or process, and refuse it every announced action but the `needed` events.

    There is no descriptor even in place of its connection, if that is closed.
    """
    if Layer.PROCESS in layers:
        if Layer.KERNEL not in layers:
            leave_root()
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        if _address_space_bytes:
            ceiling = _address_space_bytes + limits.memory_mb * 1_048_576
            _bound(resource.RLIMIT_AS, ceiling, ceiling)
        seconds = int(limits.trial_cpu_s) + 1
        _bound(resource.RLIMIT_CPU, seconds, seconds + 1)
    if Layer.KERNEL in layers and kernel is not None:
        kernel.filter_child()

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if (
            event == "import"
        ):  # The library looks for modules that may be missing, and works without them.
            raise ImportError("a sandboxed process may not import " + str(arguments[0]))
        if event not in needed:
            raise PermissionError("a sandboxed process may not: " + event)

    if Layer.PROCESS in layers:
        sys.addaudithook(refuse)
