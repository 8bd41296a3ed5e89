"""The process of a script has one open descriptor, its connection to the parent, whatever it did before.

A descriptor is the number by which a process knows an open file or socket. Linux lists those of the
process 4021 in the folder `/proc/4021/fd`. The host looks there whenever it answers a call of a script.
The kernel layer is left out here, because it alone would refuse to open descriptors.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, ForkServer, Layer, Sandbox
from tests.sandbox.opened_sandboxes import new_sandbox, run_to_its_end
from tests.sandbox.recording_host import RecordingHost

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

ONLY_THE_CONNECTION = ["0"]
NO_FURTHER_ONE = ["0", "0"]
"""The soft and the hard limit of descriptors: the process may open no other one."""


def open_descriptors(pid: int) -> list[str]:
    """Return the descriptors of a process: `["0", "3"]`."""
    return [path.name for path in Path(f"/proc/{pid}/fd").iterdir()]


def limits_of_descriptors(pid: int) -> list[str]:
    """Return how many descriptors a process may have, its soft and its hard limit: `["64", "64"]`."""
    for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
        # "Max open files            64                   64                   files"
        if line.startswith("Max open files"):
            _max, _open, _files, soft_limit, hard_limit, _unit = line.split()
            return [soft_limit, hard_limit]
    raise AssertionError("/proc does not name the limit of open files")


class ServerWithPids(ForkServer):
    """A fork server that remembers the processes that it forked, the newest one at the end."""

    def __init__(self):
        super().__init__()
        self.pids = []

    def spawn(self, **options):
        child = super().spawn(**options)
        self.pids.append(child.pid)
        return child


class LookingHost(RecordingHost):
    """A host that looks at the newest process whenever a script makes a call."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.descriptors = []
        """What was open at each call: `[["0"], ["0", "3"]]`."""
        self.limits = []
        """How many were allowed then: `[["0", "0"], ["64", "64"]]`."""

    def call(self, operation, arguments, *, in_verify):
        pid = self.server.pids[-1]
        self.descriptors.append(open_descriptors(pid))
        self.limits.append(limits_of_descriptors(pid))
        return super().call(operation, arguments, in_verify=in_verify)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerWithPids]:
    """A server that was started with 60 open files, so that its own socket has a number above 60. A
    child must close it, too, and not only descriptors with low numbers."""
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(Path(os.devnull).open("rb"))
        yield stack.enter_context(ServerWithPids())


@pytest.fixture
def host(server: ServerWithPids) -> LookingHost:
    return LookingHost(server)


@pytest.fixture(
    params=[
        pytest.param({Layer.PROCESS}, id="process"),
        pytest.param({Layer.LANGUAGE, Layer.PROCESS}, id="language,process"),
    ]
)
def sandbox(
    request: pytest.FixtureRequest, server: ServerWithPids, host: LookingHost
) -> Iterator[Sandbox]:
    """A sandbox with these layers, whose calls are answered by `host`."""
    with new_sandbox(server, host, isolation=frozenset(request.param)) as sandbox:
        yield sandbox


def test_a_new_process_has_only_its_connection(
    sandbox: Sandbox, host: LookingHost
) -> None:
    run_to_its_end(sandbox, 'harness.stat("/docs")')

    assert host.descriptors == [ONLY_THE_CONNECTION]
    assert host.limits == [NO_FURTHER_ONE]


def test_an_import_leaves_no_file_open(sandbox: Sandbox, host: LookingHost) -> None:
    """In plain Python, the import and the time zone would each open files."""
    run_to_its_end(
        sandbox,
        """
from zoneinfo import ZoneInfo
print(ZoneInfo("Europe/Vienna"))
harness.stat("/docs")
""",
    )

    assert host.descriptors == [ONLY_THE_CONNECTION]
    assert host.limits == [NO_FURTHER_ONE]


def test_a_process_that_replaces_a_killed_one_has_only_its_connection(
    sandbox: Sandbox, server: ServerWithPids, host: LookingHost
) -> None:
    """The step of the killed process cannot run. The next one gets another process."""
    run_to_its_end(sandbox, 'harness.stat("/docs")')
    killed_pid = server.pids[-1]

    os.kill(killed_pid, signal.SIGKILL)
    killed_step = sandbox.run('harness.stat("/docs")')
    run_to_its_end(sandbox, 'harness.stat("/docs")')

    assert killed_step.ending is Ending.KILLED
    assert server.pids[-1] != killed_pid
    # The first and the last script have made their call.
    assert host.descriptors == [ONLY_THE_CONNECTION, ONLY_THE_CONNECTION]
    assert host.limits == [NO_FURTHER_ONE, NO_FURTHER_ONE]


def test_a_process_has_only_its_connection_in_the_check_of_its_answer(
    sandbox: Sandbox, host: LookingHost
) -> None:
    """The host calls `verify` twice: with the answer, and with a blank one."""
    run_to_its_end(
        sandbox,
        """
def verify(sp):
    harness.stat("/docs")
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
""",
    )

    assert [call.in_verify for call in host.calls] == [True, True]
    assert host.descriptors == [ONLY_THE_CONNECTION, ONLY_THE_CONNECTION]
    assert host.limits == [NO_FURTHER_ONE, NO_FURTHER_ONE]
