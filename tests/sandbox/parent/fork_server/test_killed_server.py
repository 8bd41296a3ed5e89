"""A fork server that is killed costs a trial at most one step.

A `ForkServer` is a process that forks a child for each sandbox, in which the scripts of one trial
run, each as one step. The parent process keeps the scratchpad of the trial, so a new server can go
on.
"""

import os
import signal

from controlplane.sandbox import Ending, ForkServer
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.parent.fork_server.processes import (
    descendants,
    linux_only,
    wait_until_gone,
)


@linux_only
def test_a_server_that_dies_costs_a_trial_at_most_a_step():
    """The script keeps a 1 in the scratchpad. Then the server and its children are killed."""
    processes_before = descendants(os.getpid())
    with ForkServer() as server, new_sandbox(server) as sandbox:
        sandbox.run("scratchpad['kept'] = 1")
        server_processes = descendants(os.getpid()) - processes_before
        for pid in server_processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # It ended with another one.
        wait_until_gone(server_processes)

        perhaps_lost_step = sandbox.run("print(scratchpad['kept'])")
        next_step = sandbox.run("print(scratchpad['kept'])")

        # FINISHED if the new server was there when the step began.
        assert perhaps_lost_step.ending in (Ending.KILLED, Ending.FINISHED)
        assert next_step.output == "1\n"
