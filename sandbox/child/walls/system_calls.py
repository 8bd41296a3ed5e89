"""System calls: their numbers by processor, and the filters that permit only a few of them.

The Linux kernel knows a system call, such as `read`, by a number that differs between kinds of
processors. `MACHINES["x86_64"].calls["write"]` is 1, and on `aarch64` it is 64.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple


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


# The seccomp filters: which system calls a fork server and its children may make.
#
# A filter is a small program (BPF) that the kernel runs at every system call. It loads
# fields of the call (`struct seccomp_data`: number, architecture, arguments), compares
# them, and returns a verdict: allow the call, let it fail, or kill the process. The
# server installs `server_filter`. Each child inherits it and adds `child_filter`; a call
# must pass both.

_SERVER_ONLY: Final = frozenset(
    {
        "clone",
        "fcntl",
        "fork",
        "getrandom",
        "ioctl",
        "kill",
        "prctl",
        "prlimit64",
        "seccomp",
        "sendmsg",
        "setrlimit",
        "socketpair",
        "wait4",
    }
)
"""Permitted calls that only the fork server needs, to fork a child and to set it up.
Among them are those that Python makes for a new socket (`ioctl`, `fcntl`) and for
a random seed (`getrandom`). `child_filter` refuses them all."""


_INSTRUCTION: Final = struct.Struct("=HBBI")
"""An instruction of a filter (`struct sock_filter`): its code, the numbers of instructions to skip
if a comparison is true and if it is false, and a value."""
INSTRUCTION_BYTES: Final = _INSTRUCTION.size

# Codes of instructions (linux/bpf_common.h)
_LOAD: Final = 0x20
_JUMP_IF_EQUAL: Final = 0x15
_JUMP_IF_AT_LEAST: Final = 0x35
_JUMP_IF_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06

# Verdicts (linux/seccomp.h)
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | 1  # It fails with EPERM.
_KILL: Final = 0x80000000

# Offsets in `struct seccomp_data`
_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_THIRD_ARGUMENT_AT: Final = 32

_EXECUTABLE_MEMORY: Final = 4  # PROT_EXEC, in the third argument of mmap and mprotect
_X32_BIT: Final = 0x40000000


def server_filter(machine: Machine) -> bytes:
    """Return the filter that permits the system calls of `machine.calls`, but no executable memory.

    The kernel runs it at every system call. It ends with a verdict: allow the call, refuse it
    with EPERM, or kill the process. Without executable memory, a broken interpreter cannot
    run machine code of its own.
    """
    mmap = machine.calls["mmap"]
    mprotect = machine.calls["mprotect"]
    other_calls = sorted(set(machine.calls.values()) - {mmap, mprotect})

    program = b""

    # 1. Kill a process that makes calls of another architecture.
    program += _load(_ARCHITECTURE_AT)
    program += _jump(_JUMP_IF_EQUAL, machine.audit_number, skip_if_true=1)
    program += _return(_KILL)

    # 2. Kill a process that makes calls by the numbers for 32-bit pointers (x32).
    program += _load(_NUMBER_AT)
    if machine.has_x32:
        program += _jump(_JUMP_IF_AT_LEAST, _X32_BIT, skip_if_false=1)
        program += _return(_KILL)

    # 3. Allow all permitted calls except `mmap` and `mprotect`, which skip to 4. Refuse the rest.
    program += _return_if_any_equal(other_calls, _ALLOW)
    program += _jump(_JUMP_IF_EQUAL, mmap, skip_if_true=2)
    program += _jump(_JUMP_IF_EQUAL, mprotect, skip_if_true=1)
    program += _return(_REFUSE)

    # 4. Refuse `mmap` and `mprotect` if they ask for executable memory, otherwise allow them.
    program += _load(_THIRD_ARGUMENT_AT)
    program += _jump(_JUMP_IF_ANY_BIT, _EXECUTABLE_MEMORY, skip_if_false=1)
    program += _return(_REFUSE)
    program += _return(_ALLOW)
    return program


def child_filter(machine: Machine) -> bytes:
    """Return the filter that refuses the calls of `_SERVER_ONLY`, such as `fork`, to a child.

    It allows all others. The server's filter, which a child inherits, still applies as well.
    """
    numbers = [machine.calls[name] for name in _SERVER_ONLY if name in machine.calls]
    program = _load(_NUMBER_AT)
    program += _return_if_any_equal(sorted(numbers), _REFUSE)
    program += _return(_ALLOW)
    return program


def _load(offset: int) -> bytes:
    """Return the instruction that loads the field at an offset of `struct seccomp_data`."""
    return _INSTRUCTION.pack(_LOAD, 0, 0, offset)


def _return(verdict: int) -> bytes:
    """Return the instruction that ends the filter with a verdict."""
    return _INSTRUCTION.pack(_RETURN, 0, 0, verdict)


def _jump(
    code: int, value: int, *, skip_if_true: int = 0, skip_if_false: int = 0
) -> bytes:
    """Return the instruction that skips others if a comparison with `value` is true, or false.

    The value is compared with the loaded field, which stays loaded.
    """
    return _INSTRUCTION.pack(code, skip_if_true, skip_if_false, value)


def _return_if_any_equal(numbers: list[int], verdict: int) -> bytes:
    """Return instructions that return `verdict` if the loaded field is one of the numbers.

    For `[3, 5, 7]`: "if it is 3, skip two; if it is 5, skip one; if it is not 7, skip
    one; return the verdict". To skip means to leave out the next instructions.
    """
    *first_numbers, last_number = numbers
    program = b""
    for index, number in enumerate(first_numbers):
        remaining_jumps = len(first_numbers) - index
        program += _jump(_JUMP_IF_EQUAL, number, skip_if_true=remaining_jumps)
    program += _jump(_JUMP_IF_EQUAL, last_number, skip_if_false=1)
    program += _return(verdict)
    return program
