"""A child of a fork server that ends itself costs one step, and leaves no process behind.

A `ForkServer` forks a child for each sandbox, in which the scripts of one trial run, each as one
step. A script in unrestricted Python may end its own process:

    sandbox.run("import os; os._exit(9)").ending  # Ending.KILLED; the next step works
"""

import os
import time

import pytest

from controlplane.sandbox import Ending, Layer
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.parent.fork_server.processes import descendants

UNRESTRICTED_PYTHON = frozenset({Layer.KERNEL})
"""An isolation without the language layer, which would refuse `import os`."""


def test_a_child_that_ends_itself_costs_one_step(server):
    """The second of three steps ends its process. The scratchpad is kept in the parent."""
    with new_sandbox(server, isolation=UNRESTRICTED_PYTHON) as sandbox:
        sandbox.run("scratchpad['kept'] = [1]")

        killed_step = sandbox.run("import os\nos._exit(9)")
        next_step = sandbox.run("print(scratchpad['kept'])")

    assert killed_step.ending is Ending.KILLED
    assert "exit code 9" in killed_step.error
    assert next_step.output == "[1]\n"


@pytest.mark.heavy
def test_a_thousand_killed_children_leave_no_processes_behind(server):
    """Each of a thousand steps ends its process at once."""
    processes_before = descendants(os.getpid())
    with new_sandbox(server, isolation=UNRESTRICTED_PYTHON) as sandbox:
        for _ in range(1000):
            step = sandbox.run("import os\nos._exit(1)")
            assert step.ending is Ending.KILLED
    time.sleep(0.2)  # The last child may still be ending.

    # The fork server itself is two processes, and it keeps a child ready for the next sandbox.
    assert len(descendants(os.getpid()) - processes_before) <= 3
