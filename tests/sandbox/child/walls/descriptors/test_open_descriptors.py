"""The process of a script has one open descriptor, its connection to the parent, whatever it did before.

A descriptor is the number by which a process knows an open file or socket. The host, which answers
the calls of scripts, looks at each call which ones the process has open, `[0]`, and up to which
limits it may open more. The fixture `sandbox` leaves the kernel layer out, because that layer alone
would refuse to open descriptors.
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
from tests.sandbox.local_parent import run_to_its_end

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
