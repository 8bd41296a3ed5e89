"""A `ForkServer` ends all its processes when it is closed, and when its parent is killed.

A fork server is a process that has imported what scripts need, and forks a child for each sandbox,
in which the scripts of one trial run. No process may stay behind.
"""

import os
import subprocess
import sys
import textwrap

from controlplane.sandbox import ForkServer
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.parent.fork_server.processes import (
    descendants,
    linux_only,
    wait_until_gone,
)
from tests.support.command import ROOT


@linux_only
def test_closing_a_server_ends_all_its_processes():
    """Three sandboxes are open, each with a child process."""
    processes_before = descendants(os.getpid())
    server = ForkServer()
    sandboxes = [new_sandbox(server) for _ in range(3)]
    for sandbox in sandboxes:
        sandbox.ready_child()
    server_processes = descendants(os.getpid()) - processes_before
    # Three children of the sandboxes, and at least two processes of the server.
    assert len(server_processes) >= 5

    server.close()

    wait_until_gone(server_processes)
    for sandbox in sandboxes:
        sandbox.close()


@linux_only
def test_server_and_children_end_when_the_parent_is_killed():
    """The parent is killed while one of its scripts runs in an endless loop."""
    program = textwrap.dedent("""
        from controlplane.sandbox import ForkServer
        from tests.sandbox.opened_sandboxes import new_sandbox
        sandbox = new_sandbox(ForkServer())
        sandbox.run("x = 1")
        print("ready", flush=True)
        sandbox.run("while True: pass")
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        children = descendants(parent.pid)
        # The script's process, and at least two of the server.
        assert len(children) >= 3
        parent.kill()

    wait_until_gone(children)
