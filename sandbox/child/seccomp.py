"""The seccomp filters of the kernel layer: which system calls a server and its children may make.

A filter is a program that the kernel runs at every system call, over the call's number, its
architecture and its arguments (`struct seccomp_data`).
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple, TypeAlias


def _numbers(table: str) -> dict[str, int]:
    """Return call numbers by name, from a text such as `read=0 write=1`."""
    numbers = {}
    for entry in table.split():
        name, _, number = entry.partition("=")
        numbers[name] = int(number)
    return numbers


class Machine(NamedTuple):
    """An architecture whose call numbers are known."""

    audit_number: int
    """The number by which the kernel's audit knows the architecture."""
    has_x32: bool
    """It also runs programs with pointers of 32 bits, by call numbers of their own."""
    capset: int
    pivot_root: int
    calls: dict[str, int]
    """The calls of server and children."""


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
"""Calls for forking and setting up a child, which the child does not need afterwards."""


class Instruction(NamedTuple):
    """One instruction of a filter; a jump counts the instructions to skip."""

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

# What becomes of a call (linux/seccomp.h)
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | 1  # It fails with EPERM.
_KILL: Final = 0x80000000

# Places in `struct seccomp_data`
_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_THIRD_ARGUMENT_AT: Final = 32

_EXECUTABLE_MEMORY: Final = 4  # PROT_EXEC, in the third argument of mmap and mprotect
_X32_BIT: Final = 0x40000000


def server_filter(machine: Machine) -> bytes:
    """Return the filter that allows the calls of server and children, but no executable memory."""
    memory_calls = [machine.calls["mmap"], machine.calls["mprotect"]]
    other_calls = sorted(set(machine.calls.values()) - set(memory_calls))

    program = [
        _load(_ARCHITECTURE_AT),
        Instruction(_JUMP_IF_EQUAL, 1, 0, machine.audit_number),
        _return(_KILL),
        _load(_NUMBER_AT),
    ]
    if machine.has_x32:
        program += [Instruction(_JUMP_IF_AT_LEAST, 0, 1, _X32_BIT), _return(_KILL)]
    program += _return_for_any(other_calls, _ALLOW)
    program += [
        # A call that allocates memory goes on after the refusal.
        Instruction(_JUMP_IF_EQUAL, 2, 0, memory_calls[0]),
        Instruction(_JUMP_IF_EQUAL, 1, 0, memory_calls[1]),
        _return(_REFUSE),
        _load(_THIRD_ARGUMENT_AT),
        Instruction(_JUMP_IF_ANY_BIT, 0, 1, _EXECUTABLE_MEMORY),
        _return(_REFUSE),
        _return(_ALLOW),
    ]
    return _packed(program)


def child_filter(machine: Machine) -> bytes:
    """Return the filter that removes the calls that only the server needs.

    The server's filter holds beside it.
    """
    numbers = [machine.calls[name] for name in SERVER_ONLY if name in machine.calls]
    program = [_load(_NUMBER_AT)]
    program += _return_for_any(sorted(numbers), _REFUSE)
    program += [_return(_ALLOW)]
    return _packed(program)


def _load(place: int) -> Instruction:
    return Instruction(_LOAD, 0, 0, place)


def _return(verdict: int) -> Instruction:
    return Instruction(_RETURN, 0, 0, verdict)


def _return_for_any(numbers: list[int], verdict: int) -> Program:
    """Return instructions that give `verdict` for any of the numbers and go on for the rest."""
    program = []
    for index, number in enumerate(numbers):
        instructions_to_verdict = len(numbers) - 1 - index
        is_last = instructions_to_verdict == 0
        jump_over_verdict = 1 if is_last else 0
        jump = Instruction(_JUMP_IF_EQUAL, instructions_to_verdict, jump_over_verdict, number)
        program.append(jump)
    return [*program, _return(verdict)]


def _packed(program: Program) -> bytes:
    """Return a program as the kernel reads it (`struct sock_filter`)."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
