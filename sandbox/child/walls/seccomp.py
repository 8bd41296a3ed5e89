"""The seccomp filters of the kernel layer: which system calls a server and its children may make.

A filter is a small program (BPF) that the kernel runs at every system call. It loads fields of the
call (`struct seccomp_data`: number, architecture, arguments), compares them, and returns a verdict:
allow the call, let it fail, or kill the process. The server installs `server_filter`. Each child
inherits it and adds `child_filter`; a call must pass both.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple, TypeAlias


def _numbers(table: str) -> dict[str, int]:
    """Return call numbers by name: `"read=0 write=1"` -> `{"read": 0, "write": 1}`."""
    numbers = {}
    for entry in table.split():
        name, _, number = entry.partition("=")
        numbers[name] = int(number)
    return numbers


class Machine(NamedTuple):
    """A processor architecture and its numbers of system calls."""

    audit_number: int
    """The architecture's number in `seccomp_data` (linux/audit.h)."""
    has_x32: bool
    """True if the kernel also accepts a second set of call numbers, for programs with 32-bit
    pointers. The filter kills a process that uses them, since it does not check them."""
    capset: int
    pivot_root: int
    calls: dict[str, int]
    """The numbers of all permitted calls, by name."""


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

SERVER_ONLY: Final = frozenset(
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
"""Calls that fork and set up a child. `child_filter` takes them from the child."""


class Instruction(NamedTuple):
    """One instruction of a filter (`struct sock_filter`).

    Only a jump uses `jump_if_true` and `jump_if_false`: how many instructions are skipped next.
    """

    code: int
    jump_if_true: int
    jump_if_false: int
    value: int


Program: TypeAlias = list[Instruction]

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
    """Return the filter that permits the calls of `machine.calls`, but no executable memory.

    Without executable memory, a broken interpreter cannot run machine code of its own.
    """
    memory_calls = [machine.calls["mmap"], machine.calls["mprotect"]]
    other_calls = sorted(set(machine.calls.values()) - set(memory_calls))

    program: Program = []

    # 1. Kill a process that makes calls of another architecture.
    program.append(_load(_ARCHITECTURE_AT))
    program.append(Instruction(_JUMP_IF_EQUAL, 1, 0, machine.audit_number))
    program.append(_return(_KILL))

    # 2. Kill a process that makes calls by the numbers for 32-bit pointers.
    program.append(_load(_NUMBER_AT))
    if machine.has_x32:
        program.append(Instruction(_JUMP_IF_AT_LEAST, 0, 1, _X32_BIT))
        program.append(_return(_KILL))

    # 3. Allow the other calls, and refuse unknown ones. `mmap` and `mprotect` skip the refusal.
    program += _return_for_any(other_calls, _ALLOW)
    program.append(Instruction(_JUMP_IF_EQUAL, 2, 0, memory_calls[0]))
    program.append(Instruction(_JUMP_IF_EQUAL, 1, 0, memory_calls[1]))
    program.append(_return(_REFUSE))

    # 4. Refuse `mmap` and `mprotect` if they ask for executable memory.
    program.append(_load(_THIRD_ARGUMENT_AT))
    program.append(Instruction(_JUMP_IF_ANY_BIT, 0, 1, _EXECUTABLE_MEMORY))
    program.append(_return(_REFUSE))
    program.append(_return(_ALLOW))
    return _packed(program)


def child_filter(machine: Machine) -> bytes:
    """Return the filter that refuses the calls of `SERVER_ONLY` and allows all others.

    The server's filter still applies as well.
    """
    numbers = [machine.calls[name] for name in SERVER_ONLY if name in machine.calls]
    program = [_load(_NUMBER_AT)]
    program += _return_for_any(sorted(numbers), _REFUSE)
    program += [_return(_ALLOW)]
    return _packed(program)


def _load(offset: int) -> Instruction:
    """Return the instruction that loads the field at an offset of `struct seccomp_data`."""
    return Instruction(_LOAD, 0, 0, offset)


def _return(verdict: int) -> Instruction:
    """Return the instruction that ends the filter with a verdict."""
    return Instruction(_RETURN, 0, 0, verdict)


def _return_for_any(numbers: list[int], verdict: int) -> Program:
    """Return instructions that end with `verdict` if the loaded value is one of the numbers.

    For `[3, 5]`: "if 3, skip one", "if not 5, skip one", "return verdict".
    """
    program = []
    for index, number in enumerate(numbers):
        instructions_to_verdict = len(numbers) - 1 - index
        is_last = instructions_to_verdict == 0
        jump_over_verdict = 1 if is_last else 0
        jump = Instruction(_JUMP_IF_EQUAL, instructions_to_verdict, jump_over_verdict, number)
        program.append(jump)
    return [*program, _return(verdict)]


def _packed(program: Program) -> bytes:
    """Return the bytes of a program, an array of `struct sock_filter`."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
