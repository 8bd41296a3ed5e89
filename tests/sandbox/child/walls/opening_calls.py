"""A script that tries every system call that opens a descriptor, on Linux with an x86-64.

A descriptor is the number by which a process knows an open file, a socket or the like.
"""

from tests.sandbox.child.walls.kernel_access import KERNEL_ACCESS

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
