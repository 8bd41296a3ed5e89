"""No system call opens a second descriptor in a script's process.

A descriptor is the number by which a process knows an open file or socket. A script has one, for
its parent. Even one that has taken over its process, and makes 27 system calls such as `open` and
`dup` by their numbers, must not get a second one: the process layer sets the limit of descriptors
to zero.
"""

import ast
import platform
import sys

import pytest

from controlplane.sandbox import Layer
from tests.sandbox.local_parent import new_sandbox

# The first lines of a script that makes system calls by their numbers.
#
# It does what machine code could do in a process that an attacker has taken over: it calls the kernel
# by the numbers of the calls, past all of Python's own functions: `call(2, b"/", 0)` is `open("/")`.

KERNEL_ACCESS = """
import ctypes, os, sys

# The function that started the script, some frames up, has a variable `kernel` with a function
# that makes system calls: `call(2, b"/", 0)` is open("/"), because open has the number 2.
frame = sys._getframe()
while "kernel" not in frame.f_locals:
    frame = frame.f_back
call = frame.f_locals["kernel"]._call_by_number

# Memory that the kernel reads arguments from, or writes results to.
buffer = (ctypes.c_char * 200)()
pair = (ctypes.c_int * 2)()  # two descriptors
limit = (ctypes.c_ulong * 2)(64, 64)  # soft and hard limit: 64 descriptors

# Constants of the kernel.
LIMIT_OF_DESCRIPTORS = 7  # RLIMIT_NOFILE
OWN_PROCESS = 0
WORKING_FOLDER = -100  # AT_FDCWD
UNIX, INTERNET = 1, 2  # AF_UNIX, AF_INET
STREAM = 1  # SOCK_STREAM
CREATE_AND_WRITE = 0o102  # O_CREAT | O_RDWR
OWN_SOCKET = 0  # the one descriptor that the child has
MONOTONIC_CLOCK = 1
NONE = -1

# Try to raise the limit of descriptors.
call(160, LIMIT_OF_DESCRIPTORS, limit)  # setrlimit
call(302, OWN_PROCESS, LIMIT_OF_DESCRIPTORS, limit, 0)  # prlimit
"""


# A script that tries every system call that opens a descriptor, on Linux with an x86-64.
#
# A descriptor is the number by which a process knows an open file, a socket or the like.

OPEN_BY_CALL_NUMBERS = (
    KERNEL_ACCESS
    + """
# The number of each system call, and its arguments. A 0 without a comment means no flags.
OPENINGS = {
    # files and folders
    "open": (2, b"/", 0),
    "openat": (257, WORKING_FOLDER, b"/", 0),
    "openat2": (437, WORKING_FOLDER, b"/", buffer, 24),  # flags in 24 bytes of `buffer`, all 0
    "open_tree": (428, WORKING_FOLDER, b"/", 0),
    # sockets
    "socket": (41, INTERNET, STREAM, 0),
    "unix socket": (41, UNIX, STREAM, 0),
    "socketpair": (53, UNIX, STREAM, 0, pair),
    "accept": (43, OWN_SOCKET, 0, 0),  # without the address of the peer
    # copies of the child's own socket
    "dup": (32, OWN_SOCKET),
    "dup2": (33, OWN_SOCKET, 1),  # as descriptor 1
    "dup3": (292, OWN_SOCKET, 9, 0),  # as descriptor 9
    "fcntl": (72, OWN_SOCKET, 0, 0),  # F_DUPFD: as the first free descriptor from 0 on
    # pipes, memory, timers and other things that Linux shows as files
    "pipe": (22, pair),
    "memfd": (319, b"x", 0),
    "eventfd": (290, 0, 0),  # counts from 0
    "epoll": (291, 0),
    "inotify": (294, 0),
    "signalfd": (289, NONE, buffer, 8, 0),  # 8 bytes: the set of signals
    "timerfd": (283, MONOTONIC_CLOCK, 0),
    "pidfd": (434, os.getppid(), 0),
    "io_uring": (425, 4, buffer),  # 4 entries
    "userfaultfd": (323, 0),
    "perf": (298, buffer, OWN_PROCESS, NONE, NONE, 0),
    "bpf": (321, 0, buffer, 128),  # 0: create a map, as 128 bytes of `buffer` describe
    "fanotify": (300, 0, 0),
    "landlock": (444, limit, 8, 0),  # 8 bytes of any memory that is not 0: what to handle
    "queue": (240, b"x", CREATE_AND_WRITE, 0o600, 0),  # 0o600: rights of its owner
}
opened = [name for name, arguments in OPENINGS.items() if call(*arguments) >= 0]

print(opened)
"""
)
"""Prints the names of the calls that opened a descriptor: `['open', 'dup']`."""


x86_64_only = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="calls the kernel by the numbers of x86_64",
)


@x86_64_only
def test_no_system_call_opens_a_second_descriptor(server):
    """The script runs twice, because the first step might leave something behind that helps the
    second."""
    with new_sandbox(server, isolation=frozenset({Layer.PROCESS})) as sandbox:
        for _ in range(2):
            result = sandbox.run(OPEN_BY_CALL_NUMBERS)

            # From Python 3.14 on, the interpreter itself refuses such calls through ctypes.
            is_refused_by_python = "may not: ctypes.call_function" in result.error
            assert result.output == "[]\n" or is_refused_by_python


@x86_64_only
def test_without_the_process_layer_the_same_script_opens_many_descriptors(server):
    """So the script is right, and the process layer is what stops it. A few of its 27 calls
    fail on any machine, for example for want of rights."""
    with new_sandbox(server, isolation=frozenset()) as sandbox:
        result = sandbox.run(OPEN_BY_CALL_NUMBERS)

    successful_calls = ast.literal_eval(result.output)
    assert len(successful_calls) > 10
