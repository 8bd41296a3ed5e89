"""A script's process has one open descriptor, its connection to the parent, and can open no other.

A *descriptor* is the number by which a process knows an open file or socket. Even a script that
has taken over its process, and calls the kernel directly, must not get a second one: the process
layer sets the limit of descriptors to zero.
"""

import ast
import os
import platform
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.sandbox import Ending, ForkServer, Layer
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.recording_host import RecordingHost

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
x86_64_only = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="calls the kernel by the numbers of x86_64",
)

OPEN_BY_CALL_NUMBERS = """
import ctypes, os, sys

# The function that started the script, some frames up, has a variable `kernel` with a function
# that makes system calls: `call(2, b"/", 0)` is open("/"), because open has the number 2.
frame = sys._getframe()
while "kernel" not in frame.f_locals:
    frame = frame.f_back
call = frame.f_locals["kernel"]._calls.by_number

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

# The system calls that open a descriptor: number and arguments. A number without a name among the
# arguments is a size; a 0 stands for no flags, or for an empty value.
OPENINGS = {
    # files and folders
    "open": (2, b"/", 0),
    "openat": (257, WORKING_FOLDER, b"/", 0),
    "openat2": (437, WORKING_FOLDER, b"/", buffer, 24),
    "open_tree": (428, WORKING_FOLDER, b"/", 0),
    # sockets
    "socket": (41, INTERNET, STREAM, 0),
    "unix socket": (41, UNIX, STREAM, 0),
    "socketpair": (53, UNIX, STREAM, 0, pair),
    "accept": (43, OWN_SOCKET, 0, 0),
    # copies of the child's own socket
    "dup": (32, OWN_SOCKET),
    "dup2": (33, OWN_SOCKET, 1),
    "dup3": (292, OWN_SOCKET, 9, 0),
    "fcntl": (72, OWN_SOCKET, 0, 0),
    # pipes, memory, timers and other things that Linux shows as files
    "pipe": (22, pair),
    "memfd": (319, b"x", 0),
    "eventfd": (290, 0, 0),
    "epoll": (291, 0),
    "inotify": (294, 0),
    "signalfd": (289, NONE, buffer, 8, 0),
    "timerfd": (283, MONOTONIC_CLOCK, 0),
    "pidfd": (434, os.getppid(), 0),
    "io_uring": (425, 4, buffer),
    "userfaultfd": (323, 0),
    "perf": (298, buffer, OWN_PROCESS, NONE, NONE, 0),
    "bpf": (321, 0, buffer, 128),
    "fanotify": (300, 0, 0),
    "landlock": (444, limit, 8, 0),
    "queue": (240, b"x", CREATE_AND_WRITE, 0o600, 0),
}
opened = [name for name, arguments in OPENINGS.items() if call(*arguments) >= 0]

print(opened)
"""
"""A script that tries every system call that opens a descriptor, and prints which did: `['dup']`.

It does what machine code could do in a child that an attacker has taken over: it calls the kernel
by the numbers of the calls, past all of Python's own functions.
"""


@x86_64_only
def test_no_system_call_opens_a_second_descriptor(server):
    """A child has one descriptor, its connection to the parent, and must not get another.

    The script makes 27 system calls that open one, such as `open` and `dup`, and prints those
    that succeeded. It runs twice, because the first step might leave something behind that helps
    the second.
    """
    with new_sandbox(server, isolation=frozenset({Layer.PROCESS})) as sandbox:
        for _ in range(2):
            result = sandbox.run(OPEN_BY_CALL_NUMBERS)

            # From Python 3.14 on, the interpreter itself refuses such calls through ctypes.
            is_refused_by_python = "may not: ctypes.call_function" in result.error
            assert result.output == "[]\n" or is_refused_by_python


@x86_64_only
def test_without_the_process_layer_the_same_script_opens_many_descriptors(server):
    """So the script is right, and the process layer is what stops it.

    It prints the names of the system calls that opened a descriptor: `['open', 'dup', ...]`. A few
    of its 27 calls fail on any machine, for example for want of rights.
    """
    with new_sandbox(server, isolation=frozenset()) as sandbox:
        result = sandbox.run(OPEN_BY_CALL_NUMBERS)

    successful_calls = ast.literal_eval(result.output)
    assert len(successful_calls) > 10


class Descriptors(NamedTuple):
    """What Linux says of a process: its descriptors, and how many it may have."""

    numbers: list[str]
    soft_limit: str
    hard_limit: str


class ObservedServer(ForkServer):
    """A fork server that remembers the processes that it forked."""

    def __init__(self):
        super().__init__()
        self.pids = []

    def spawn(self, **options):
        """Fork a child, as the sandbox asks for one."""
        child = super().spawn(**options)
        self.pids.append(child.pid)
        return child

    def descriptors_of_newest_child(self):
        """Return what Linux says of the child that was forked last."""
        process = Path("/proc") / str(self.pids[-1])
        numbers = [path.name for path in (process / "fd").iterdir()]
        for line in (process / "limits").read_text().splitlines():
            # Such as "Max open files            1024                 4096                 files"
            if line.startswith("Max open files"):
                soft_limit, hard_limit = line.split()[3:5]
                return Descriptors(numbers, soft_limit, hard_limit)
        raise AssertionError("/proc does not name the limit of open files")


class LookingHost(RecordingHost):
    """A host that looks at the script's process whenever the script makes a call."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.descriptors_at_calls = []
        """The descriptors of the script's process, one entry for each of `calls`."""

    def call(self, operation, arguments, *, in_verify):
        descriptors = self.server.descriptors_of_newest_child()
        self.descriptors_at_calls.append(descriptors)
        return super().call(operation, arguments, in_verify=in_verify)


CALL_BEFORE_AND_AFTER_AN_IMPORT = """
harness.stat("/docs")
from zoneinfo import ZoneInfo
print(ZoneInfo("Europe/Vienna"))
harness.stat("/docs")
"""
"""A script with two calls. In plain Python, what is between them would open two files."""

CALL_IN_VERIFY = """
def verify(sp):
    harness.stat("/docs")
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
"""
"""A script that makes its call in `verify`, the check of its answer, which the host asks for."""


@linux_only
@pytest.mark.parametrize(
    "isolation",
    [
        pytest.param(frozenset({Layer.PROCESS}), id="process"),
        pytest.param(frozenset({Layer.LANGUAGE, Layer.PROCESS}), id="language,process"),
    ],
)
def test_a_child_has_only_its_connection_at_every_call_of_every_step(isolation):
    """The host lists the descriptors of the script's process whenever the script makes a call.

    1. A first process runs a script with two calls.
    2. It is killed, which costs the next step.
    3. A second process runs the same script.
    4. Then it runs a script that makes its call in `verify`.

    The kernel layer is left out, because it alone would refuse to open descriptors.
    """
    with ExitStack() as stack:
        # Behind 60 open files the server's own socket gets a number above 60. A child must close
        # it, too, and not only descriptors with low numbers.
        for _ in range(60):
            stack.enter_context(Path(os.devnull).open("rb"))
        server = stack.enter_context(ObservedServer())
        host = LookingHost(server)
        sandbox = stack.enter_context(new_sandbox(server, host, isolation=isolation))

        first_step = sandbox.run(CALL_BEFORE_AND_AFTER_AN_IMPORT)
        assert first_step.ending is Ending.FINISHED
        os.kill(server.pids[-1], signal.SIGKILL)
        killed_step = sandbox.run(CALL_BEFORE_AND_AFTER_AN_IMPORT)
        assert killed_step.ending is Ending.KILLED
        step_of_new_child = sandbox.run(CALL_BEFORE_AND_AFTER_AN_IMPORT)
        assert step_of_new_child.ending is Ending.FINISHED
        answering_step = sandbox.run(CALL_IN_VERIFY)
        assert answering_step.ending is Ending.FINISHED

    assert len(server.pids) == 2  # the killed process and the one that replaced it
    # The host has looked during ordinary calls and during those of `verify`.
    assert {call.in_verify for call in host.calls} == {False, True}
    # What a child must have: its connection, as descriptor 0, and no right to open another.
    connection_only = Descriptors(numbers=["0"], soft_limit="0", hard_limit="0")
    assert host.descriptors_at_calls == [connection_only] * len(host.calls)
