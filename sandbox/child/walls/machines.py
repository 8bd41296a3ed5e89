"""Numbers of system calls, by processor: what the walls need to call or to permit.

The Linux kernel knows a system call, such as `read`, by a number that differs between kinds of
processors. `MACHINES["x86_64"].calls["write"]` is 1, and on `aarch64` it is 64.
"""

from __future__ import annotations

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
