"""Prints the least CPU time of one call of the harness, in the child and in the parent.

The harness is what scripts call, in the child process of a sandbox; the host answers, in the parent.
"""

import time

from controlplane.sandbox import ForkServer
from tests.bench.sandbox.child_processes import cpu_of_children_s
from tests.bench.sandbox.printed_times import print_time
from tests.sandbox.opened_sandboxes import new_sandbox

CALLS = 500
"""The calls of `SCRIPT_OF_MANY_CALLS`."""


SCRIPT_OF_MANY_CALLS = (
    f"for i in range({CALLS}):\n    harness.read('/docs/checkout.md')\n"
)


def print_cpu_of_a_call(rounds: int) -> None:
    """Print the least CPU of one call of the harness, in the child and in the parent.

    The harness is what scripts call, in the child; the host answers, in the parent.
    """
    parent_times_s = []
    child_times_s = []
    with ForkServer() as server, new_sandbox(server) as sandbox:
        sandbox.run(SCRIPT_OF_MANY_CALLS)
        for _ in range(max(5, rounds // 10)):
            child_before_s = cpu_of_children_s()
            parent_before_s = time.process_time()
            sandbox.run(SCRIPT_OF_MANY_CALLS)
            parent_times_s.append(time.process_time() - parent_before_s)
            child_times_s.append(cpu_of_children_s() - child_before_s)
    print_time("CPU of a call, parent", min(parent_times_s) * 1000 / CALLS)
    print_time("CPU of a call, child", min(child_times_s) * 1000 / CALLS)
