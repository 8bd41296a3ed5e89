"""The process of a script has one open descriptor, its connection to the parent, whatever it did before.

A descriptor is the number by which a process knows an open file or socket. The host, which answers
the calls of scripts, looks at each call which ones the process has open, `[0]`, and up to which
limits it may open more. The fixture `sandbox` leaves the kernel layer out, because that layer alone
would refuse to open descriptors.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, ForkServer, Layer, Sandbox
from tests.sandbox.local_parent import RecordingHost, new_sandbox, run_to_its_end

# A host that looks at the process of a script whenever the script makes a call.

# Descriptors of a process, the numbers by which it knows its open files and sockets.


def open_descriptors(pid: int) -> list[int]:
    """Return the descriptors of a process, which Linux lists in `/proc/<pid>/fd`: `[0, 3]`."""
    return [int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()]


def limits_of_descriptors(pid: int) -> dict[str, str]:
    """Return how many descriptors a process may have: `{"soft limit": "64", "hard limit": "4096"}`.

    The soft limit counts. A process may raise it by itself, up to its hard limit.
    """
    for line in Path(f"/proc/{pid}/limits").read_text().splitlines():
        # "Max open files            64                   64                   files"
        if line.startswith("Max open files"):
            _max, _open, _files, soft_limit, hard_limit, _unit = line.split()
            return {"soft limit": soft_limit, "hard limit": hard_limit}
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
        """The descriptors that were open at each call: `[[0], [0, 3]]` for two calls."""
        self.limits = []
        """How many were allowed then: `[{"soft limit": "64", "hard limit": "4096"}, ...]`."""

    def call(self, operation, arguments, *, in_verify):
        pid = self.server.pids[-1]
        self.descriptors.append(open_descriptors(pid))
        self.limits.append(limits_of_descriptors(pid))
        return super().call(operation, arguments, in_verify=in_verify)


@pytest.fixture(scope="session")
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


# A process that replaces a killed one has one open descriptor, its connection to the parent.
#
# Scripts run in a process, which is replaced if it dies. A descriptor is the number by which a
# process knows an open file or socket. The host, which answers the calls of scripts, looks at each
# call which ones the process has open, `[0]`, and up to which limits it may open more.

REPLACED_PROCESSES_NO_MORE = {"soft limit": "0", "hard limit": "0"}
replaced_processes_pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="looks into /proc"
)


def test_a_process_that_replaces_a_killed_one_has_only_its_connection(
    sandbox: Sandbox, server: ServerWithPids, host: LookingHost
) -> None:
    """Three steps run. The process is killed after the first one, so that the second one fails, and
    the third one runs in a new process."""
    run_to_its_end(sandbox, 'harness.stat("/docs")')
    killed_pid = server.pids[-1]

    os.kill(killed_pid, signal.SIGKILL)
    killed_step = sandbox.run('harness.stat("/docs")')
    run_to_its_end(sandbox, 'harness.stat("/docs")')

    assert killed_step.ending is Ending.KILLED
    assert server.pids[-1] != killed_pid
    # The calls of the first and of the third script; the second one made none.
    assert host.descriptors == [[0], [0]]
    assert host.limits == [REPLACED_PROCESSES_NO_MORE, REPLACED_PROCESSES_NO_MORE]


NO_MORE = {"soft limit": "0", "hard limit": "0"}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_a_new_process_has_only_its_connection(
    sandbox: Sandbox, host: LookingHost
) -> None:
    run_to_its_end(sandbox, 'harness.stat("/docs")')

    assert host.descriptors == [[0]]
    assert host.limits == [NO_MORE]


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

    assert host.descriptors == [[0]]
    assert host.limits == [NO_MORE]


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
    assert host.descriptors == [[0], [0]]
    assert host.limits == [NO_MORE, NO_MORE]
