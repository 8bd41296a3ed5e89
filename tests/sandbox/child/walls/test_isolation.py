"""A script has no descriptor but its connection, and no free
one, whatever it calls: not even one that it closes."""

import os
import platform
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, ForkServer, Layer, Sandbox
from tests.sandbox.script_world import NOW, TOOL_SCHEMA, RecordingHost

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
X86_64 = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="by call numbers"
)
WITHOUT_KERNEL = [
    frozenset({Layer.PROCESS}),
    frozenset({Layer.LANGUAGE, Layer.PROCESS}),
]
"""Choices without the kernel layer, which refuses descriptors by itself."""

BROKEN_OUT = """
import ctypes, os, sys
frame = sys._getframe()
while "kernel" not in frame.f_locals:
    frame = frame.f_back
call = frame.f_locals["kernel"]._calls.by_number
room, pair = (ctypes.c_char * 200)(), (ctypes.c_int * 2)()
more = (ctypes.c_ulong * 2)(64, 64)
call(160, 7, more), call(302, 0, 7, more, 0)  # setrlimit, prlimit
OPENINGS = {
    "open": (2, b"/", 0), "openat": (257, -100, b"/", 0), "openat2": (437, -100, b"/", room, 24), "open_tree": (428,
    -100, b"/", 0), "socket": (41, 2, 1, 0), "unix socket": (41, 1, 1, 0), "socketpair": (53, 1, 1, 0, pair),
    "accept": (43, 0, 0, 0), "dup": (32, 0), "dup2": (33, 0, 1), "dup3": (292, 0, 9, 0), "fcntl": (72, 0, 0, 0),
    "pipe": (22, pair), "memfd": (319, b"x", 0), "eventfd": (290, 0, 0), "epoll": (291, 0), "inotify": (294, 0),
    "signalfd": (289, -1, room, 8, 0), "timerfd": (283, 1, 0), "pidfd": (434, os.getppid(), 0), "io_uring": (425, 4,
    room), "userfaultfd": (323, 0), "perf": (298, room, 0, -1, -1, 0), "bpf": (321, 0, room, 128), "fanotify": (300,
    0, 0), "landlock": (444, more, 8, 0), "queue": (240, b"x", 0o102, 0o600, 0),
}
opened = [name for name, arguments in OPENINGS.items() if call(*arguments) >= 0]
"""
"""What machine code could do that has taken over a child,
as Python that calls the kernel by numbers."""


@X86_64
def test_nothing_can_be_opened_beside_the_connection(server):
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset({Layer.PROCESS}),
    ) as box:
        for _ in range(2):
            result = box.run(f"{BROKEN_OUT}\nprint(opened)")
            # From Python 3.14 on, it is announced.
            is_refused = "may not: ctypes.call_function" in result.error
            assert result.output == "[]\n" or is_refused


@X86_64
def test_without_the_process_layer_the_same_script_opens_what_it_likes(server):
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset(),
    ) as box:
        assert len(eval(box.run(f"{BROKEN_OUT}\nprint(opened)").output)) > 10


class Watched(ForkServer):
    """Notes its children, and looks at what they hold."""

    def __init__(self):
        super().__init__()
        self.pids = []

    def spawn(self, **chosen):
        child = super().spawn(**chosen)
        self.pids.append(child.pid)
        return child

    def held(self):
        """Return the descriptors of the newest child, and how many it may have."""
        of_child = Path("/proc") / str(self.pids[-1])
        limits = (of_child / "limits").read_text().splitlines()
        most = next(
            line.split()[3:5] for line in limits if line.startswith("Max open files")
        )
        return [path.name for path in (of_child / "fd").iterdir()], most


MOMENTS = """
harness.stat("/docs")
from zoneinfo import ZoneInfo
print(ZoneInfo("Europe/Vienna"))
harness.stat("/docs")
"""
ANSWER = """
def verify(sp):
    harness.stat("/docs")
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
"""


@LINUX
@pytest.mark.parametrize(
    "isolation", WITHOUT_KERNEL, ids=lambda isolation: ",".join(sorted(isolation))
)
def test_a_child_holds_one_descriptor_and_may_have_no_more_in_every_moment_of_every_step(
    isolation,
):
    found = []

    class Looking(RecordingHost):
        def call(self, operation, arguments, *, in_verify):
            found.append((in_verify, *children.held()))
            return super().call(operation, arguments, in_verify=in_verify)

    with ExitStack() as held:
        for _ in range(60):
            # So that the server's own socket has a number beyond those that a child may have.
            held.enter_context(Path(os.devnull).open("rb"))
        children = held.enter_context(Watched())
        box = held.enter_context(
            Sandbox(
                TOOL_SCHEMA,
                Looking(),
                now=NOW,
                seed=1,
                server=children,
                isolation=isolation,
            )
        )
        assert box.run(MOMENTS).ending is Ending.FINISHED
        os.kill(children.pids[-1], 9)
        assert box.run(MOMENTS).ending is Ending.KILLED
        assert box.run(MOMENTS).ending is Ending.FINISHED
        assert box.run(ANSWER).ending is Ending.FINISHED

    assert len(children.pids) == 2
    assert {True, False} == {in_verify for in_verify, _, _ in found}
    assert all((held, most) == (["0"], ["0", "0"]) for _, held, most in found), found
