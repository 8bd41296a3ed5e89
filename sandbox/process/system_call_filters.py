"""System call filters as programs for the kernel: which calls a sandboxed process may make.

Two filters stack. The server's is a list of what is allowed, inherited by every child; the child's takes away what only
the server needs. A call that is not allowed fails with EPERM; one of a foreign architecture ends the process.
"""

import os
import struct
from typing import Final


def _numbers(table: str) -> dict[str, int]:
    """Return call numbers by name, of a text like `read=0 write=1`."""
    return {name: int(number) for name, number in (each.split("=") for each in table.split())}


_X86_64: Final = _numbers(
    "read=0 write=1 close=3 fstat=5 poll=7 lseek=8 mmap=9 mprotect=10 munmap=11 brk=12 rt_sigaction=13 "
    "rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 sched_yield=24 mremap=25 madvise=28 nanosleep=35 getitimer=36 "
    "setitimer=38 getpid=39 sendto=44 recvfrom=45 sendmsg=46 recvmsg=47 shutdown=48 socketpair=53 clone=56 fork=57 "
    "exit=60 wait4=61 kill=62 fcntl=72 getrusage=98 sigaltstack=131 prctl=157 setrlimit=160 gettid=186 futex=202 "
    "sched_setaffinity=203 restart_syscall=219 clock_gettime=228 clock_nanosleep=230 exit_group=231 ppoll=271 "
    "set_robust_list=273 prlimit64=302 seccomp=317 getrandom=318 rseq=334"
)
_AARCH64: Final = _numbers(
    "read=63 write=64 close=57 fstat=80 ppoll=73 lseek=62 mmap=222 mprotect=226 munmap=215 brk=214 "
    "rt_sigaction=134 rt_sigprocmask=135 rt_sigreturn=139 ioctl=29 sched_yield=124 mremap=216 madvise=233 "
    "nanosleep=101 getitimer=102 setitimer=103 getpid=172 sendto=206 recvfrom=207 sendmsg=211 recvmsg=212 shutdown=210 "
    "socketpair=199 clone=220 exit=93 wait4=260 kill=129 fcntl=25 getrusage=165 sigaltstack=132 prctl=167 "
    "setrlimit=164 gettid=178 futex=98 sched_setaffinity=122 restart_syscall=128 clock_gettime=113 clock_nanosleep=115 "
    "exit_group=94 set_robust_list=99 prlimit64=261 seccomp=277 getrandom=278 rseq=293"
)

SERVER_ONLY: Final = frozenset(
    {
        *("clone", "fork", "wait4", "kill", "socketpair", "sendmsg", "recvmsg", "prctl"),
        *("setrlimit", "prlimit64", "seccomp", "ioctl", "fcntl", "getrandom", "sched_setaffinity"),
    }
)
"""What forking and setting up a child needs, and a child does not need once it is set up."""

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


class Machine:
    """An architecture whose call numbers are known."""

    def __init__(self, audit: int, calls: dict[str, int], *, has_x32: bool) -> None:
        self.audit = audit
        self.calls = calls
        self.has_x32 = has_x32


MACHINES: Final = {
    "x86_64": Machine(0xC000003E, _X86_64, has_x32=True),
    "aarch64": Machine(0xC00000B7, _AARCH64, has_x32=False),
}


def machine() -> Machine | None:
    """Return this machine's call numbers, or None if they are not known here."""
    return MACHINES.get(os.uname().machine)


def server_filter(here: Machine) -> bytes:
    """Return the filter that allows what server and children need, and executable memory to nobody."""
    watched = [here.calls["mmap"], here.calls["mprotect"]]
    program = _prologue(here) + _any_of(sorted(set(here.calls.values()) - set(watched)), _ALLOW)
    program += [(_EQUAL, 2, 0, watched[0]), (_EQUAL, 1, 0, watched[1]), (_RETURN, 0, 0, _REFUSE)]
    program += [(_LOAD, 0, 0, _THIRD_ARGUMENT_AT), (_ANY_BIT, 0, 1, _PROT_EXEC)]
    program += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return _packed(program)


def child_filter(here: Machine) -> bytes:
    """Return the filter that takes away what only the server needs."""
    denied = sorted(here.calls[name] for name in SERVER_ONLY if name in here.calls)
    program = _prologue(here)
    program += _any_of(denied, _REFUSE)
    program += [(_RETURN, 0, 0, _ALLOW)]
    return _packed(program)


_Instruction = tuple[int, int, int, int]


def _prologue(here: Machine) -> list[_Instruction]:
    start = [(_LOAD, 0, 0, _ARCH_AT), (_EQUAL, 1, 0, here.audit), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER_AT)]
    if here.has_x32:
        start += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    return start


def _any_of(numbers: list[int], verdict: int) -> list[_Instruction]:
    """Return instructions that give `verdict` for any of the numbers and fall through for the rest."""
    last = len(numbers) - 1
    program: list[_Instruction] = [(_EQUAL, last - index, 0, each) for index, each in enumerate(numbers)]
    program[last] = (_EQUAL, 0, 1, numbers[last])
    return [*program, (_RETURN, 0, 0, verdict)]


def _packed(program: list[_Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *each) for each in program)
