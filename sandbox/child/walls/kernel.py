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
machines, except for those in `machines.Machine`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from typing import Final, NamedTuple, TypeAlias

from controlplane.sandbox.child.walls import file_walls
from controlplane.sandbox.child.walls import file_walls as namespaces
from controlplane.sandbox.child.walls.file_walls import MACHINES, Machine, SystemCalls

# The seccomp filters: which system calls a fork server and its children may make.
#
# A filter is a small program (BPF) that the kernel runs at every system call. It loads
# fields of the call (`struct seccomp_data`: number, architecture, arguments), compares
# them, and returns a verdict: allow the call, let it fail, or kill the process. The
# server installs `_server_filter`. Each child inherits it and adds `child_filter`; a call
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


class Instruction(NamedTuple):
    """One instruction of a filter (`struct sock_filter`).

    A jump compares the loaded field with `value`. If the comparison is true, it skips
    the next `skip_if_true` instructions, otherwise the next `skip_if_false`. The loaded
    field stays loaded.
    """

    code: int
    value: int
    skip_if_true: int = 0
    skip_if_false: int = 0


_Program: TypeAlias = list[Instruction]

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


def _server_filter(machine: Machine) -> bytes:
    """Return the filter that permits the system calls of `machine.calls`, but no executable memory.

    The kernel runs it at every system call. It ends with a verdict: allow the call, refuse it
    with EPERM, or kill the process. Without executable memory, a broken interpreter cannot
    run machine code of its own.
    """
    mmap = machine.calls["mmap"]
    mprotect = machine.calls["mprotect"]
    other_calls = sorted(set(machine.calls.values()) - {mmap, mprotect})

    program: _Program = []

    # 1. Kill a process that makes calls of another architecture.
    program += [
        _load(_ARCHITECTURE_AT),
        Instruction(_JUMP_IF_EQUAL, machine.audit_number, skip_if_true=1),
        _return(_KILL),
    ]

    # 2. Kill a process that makes calls by the numbers for 32-bit pointers (x32).
    program.append(_load(_NUMBER_AT))
    if machine.has_x32:
        program += [
            Instruction(_JUMP_IF_AT_LEAST, _X32_BIT, skip_if_false=1),
            _return(_KILL),
        ]

    # 3. Allow all permitted calls except `mmap` and `mprotect`, which skip to 4. Refuse the rest.
    program += _return_if_any_equal(other_calls, _ALLOW)
    program += [
        Instruction(_JUMP_IF_EQUAL, mmap, skip_if_true=2),
        Instruction(_JUMP_IF_EQUAL, mprotect, skip_if_true=1),
        _return(_REFUSE),
    ]

    # 4. Refuse `mmap` and `mprotect` if they ask for executable memory, otherwise allow them.
    program += [
        _load(_THIRD_ARGUMENT_AT),
        Instruction(_JUMP_IF_ANY_BIT, _EXECUTABLE_MEMORY, skip_if_false=1),
        _return(_REFUSE),
        _return(_ALLOW),
    ]
    return _packed(program)


def child_filter(machine: Machine) -> bytes:
    """Return the filter that refuses the calls of `_SERVER_ONLY`, such as `fork`, to a child.

    It allows all others. The server's filter, which a child inherits, still applies as well.
    """
    numbers = [machine.calls[name] for name in _SERVER_ONLY if name in machine.calls]
    program = [_load(_NUMBER_AT)]
    program += _return_if_any_equal(sorted(numbers), _REFUSE)
    program += [_return(_ALLOW)]
    return _packed(program)


def _load(offset: int) -> Instruction:
    """Return the instruction that loads the field at an offset of `struct seccomp_data`."""
    return Instruction(_LOAD, offset)


def _return(verdict: int) -> Instruction:
    """Return the instruction that ends the filter with a verdict."""
    return Instruction(_RETURN, verdict)


def _return_if_any_equal(numbers: list[int], verdict: int) -> _Program:
    """Return instructions that return `verdict` if the loaded field is one of the numbers.

    For `[3, 5, 7]`: "if it is 3, skip two; if it is 5, skip one; if it is not 7, skip
    one; return the verdict". To skip means to leave out the next instructions.
    """
    *first_numbers, last_number = numbers
    program: _Program = []
    for index, number in enumerate(first_numbers):
        remaining_jumps = len(first_numbers) - index
        program.append(
            Instruction(_JUMP_IF_EQUAL, number, skip_if_true=remaining_jumps)
        )
    program.append(Instruction(_JUMP_IF_EQUAL, last_number, skip_if_false=1))
    program.append(_return(verdict))
    return program


def _packed(program: _Program) -> bytes:
    """Return the bytes of a program as the kernel reads it: an array of `struct sock_filter`.

    An instruction takes 8 bytes: two for its code, one for each jump, and four for its value.
    """
    packed = b""
    for instruction in program:
        code, value, skip_if_true, skip_if_false = instruction
        packed += struct.pack("=HBBI", code, skip_if_true, skip_if_false, value)
    return packed


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

    None if this is not Linux, or if `machines.MACHINES` does not have this processor.
    """
    if not sys.platform.startswith("linux"):
        return None
    machine = MACHINES.get(os.uname().machine)
    return None if machine is None else Kernel(machine)


# Capabilities (linux/capability.h)
_CAPABILITY_VERSION_3: Final = 0x2008_0522  # the present layout of the arguments
_CAPABILITY_SETS_BYTES: Final = 24
"""Three sets (effective, permitted, inheritable) of 64 bits."""

# Seccomp (linux/seccomp.h)
_SECCOMP_SET_MODE_FILTER: Final = 1  # an operation of the call: install a filter
_INSTRUCTION_BYTES: Final = 8


class _FilterProgram(ctypes.Structure):
    """`struct sock_fprog`: a filter for seccomp."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class Kernel:
    """Restricts this process by the Linux kernel, for good, one part a method.

    Not every kernel offers every part. So each method returns "" if its part works, and
    otherwise why not: `capset: EPERM (Operation not permitted)`.
    """

    def __init__(self, machine: Machine) -> None:
        self._calls = SystemCalls()
        """Makes system calls by the C library, and describes their errors."""
        self._machine = machine
        """The processor's numbers of system calls."""
        self._child_filter = child_filter(machine)
        """Made now, so that a child need not make it again."""

    def set_option(self, option: _ProcessOption) -> str:
        """Set an option of this process. `prctl` takes its number, its value, and three zeros."""
        result = self._calls.library.prctl(*option, 0, 0, 0)
        return self._calls.reason(result, "prctl")

    def unshare(self) -> dict[str, str]:
        """Enter new namespaces: this process sees only its own processes, network and mounts.

        Returns for each namespace "", or the reason why it cannot be entered.
        """
        return namespaces.unshare(self._calls)

    def empty_root(self) -> str:
        """Replace the file system by an empty, read-only directory. Needs a new mount namespace."""
        return file_walls.empty_root(self._calls, self._machine)

    def landlock(self) -> str:
        """Forbid every access to files, and connections and signals if this kernel can."""
        return file_walls.landlock(self._calls)

    def drop_capabilities(self) -> str:
        """Give up every capability of root."""
        this_process = 0
        header = struct.pack("=Ii", _CAPABILITY_VERSION_3, this_process)
        empty_sets = bytes(_CAPABILITY_SETS_BYTES)
        result = self._calls.by_number(self._machine.capset, header, empty_sets)
        return self._calls.reason(result, "capset")

    def filter_server(self) -> str:
        """Forbid all system calls except those of the fork server and its children (seccomp)."""
        return self._install_filter(_server_filter(self._machine))

    def filter_child(self) -> str:
        """Forbid a child also the system calls that only the fork server needs, such as `fork`."""
        return self._install_filter(self._child_filter)

    def _install_filter(self, packed_filter: bytes) -> str:
        """Give the kernel a filter: a program that it runs at each system call of this process."""
        instruction_count = len(packed_filter) // _INSTRUCTION_BYTES
        program = _FilterProgram(instruction_count, packed_filter)
        number = self._machine.calls["seccomp"]
        result = self._calls.by_number(
            number, _SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(program)
        )
        return self._calls.reason(result, "seccomp")
