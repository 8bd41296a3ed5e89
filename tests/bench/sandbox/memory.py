"""Prints the memory of a fork server, and of each child process that it has made for a sandbox."""

from controlplane.sandbox import ForkServer
from tests.bench.sandbox.child_processes import memory_of_children_mib
from tests.sandbox.opened_sandboxes import new_sandbox

USUAL_STEP = "print(harness.read('/AGENTS.MD').content)\nscratchpad['n'] = [1]\n"


SANDBOXES_IN_MEMORY = 10
"""How many sandboxes are open while the memory is measured."""


def print_memory() -> None:
    """Print the memory of a fork server, and of each child after some steps.

    The goal for a child is 6 MiB.
    """
    with ForkServer() as server:
        server.kernel_report()  # starts the server
        server_mib = memory_of_children_mib()
        sandboxes = [new_sandbox(server) for _ in range(SANDBOXES_IN_MEMORY)]
        for _ in range(5):
            for sandbox in sandboxes:
                sandbox.run(USUAL_STEP)
        all_mib = memory_of_children_mib()
        child_mib = (all_mib - server_mib) / SANDBOXES_IN_MEMORY
        print(
            f"proportional memory, server with a spare child    {server_mib:8.1f} MiB"
        )
        print(f"the same with ten children after five steps       {all_mib:8.1f} MiB")
        print(
            f"a child                                           {child_mib:8.2f} MiB (6)"
        )
        for sandbox in sandboxes:
            sandbox.close()
