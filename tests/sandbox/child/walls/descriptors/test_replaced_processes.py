"""A process that replaces a killed one has one open descriptor, too, its connection to the parent.

A descriptor is the number by which a process knows an open file or socket. Scripts run in a
process, which is replaced if it dies. The host, which answers the calls of scripts, looks at each
call which descriptors the process has, `["0"]`, and how many more it may open, `["0", "0"]`.
"""

import os
import signal
import sys

import pytest

from controlplane.sandbox import Ending, Sandbox
from tests.sandbox.child.walls.descriptors.looking_host import (
    LookingHost,
    ServerWithPids,
)
from tests.sandbox.opened_sandboxes import run_to_its_end

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


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
    assert host.descriptors == [["0"], ["0"]]
    assert host.limits == [["0", "0"], ["0", "0"]]
