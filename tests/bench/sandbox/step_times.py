"""Prints how long a step takes, which is one script in a sandbox.

    a trivial step, child ready                           0.237 ms  (0.8)

A sandbox runs its scripts in a child process, which a *fork server* makes. Beside it stands the time
of a fresh `python` process.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from controlplane.sandbox import ForkServer, Limits
from tests.sandbox.local_parent import new_sandbox

# Memory and CPU time of the processes below this one: fork servers and the children of sandboxes.
#
# A *fork server* forks a child process for each sandbox, in which a trial's scripts run one by one.


def child_processes() -> list[psutil.Process]:
    """Return all processes below this one: fork servers and the children of sandboxes."""
    return psutil.Process().children(recursive=True)


def memory_of_children_mib() -> float:
    """Return the memory of all processes below this one.

    It is the proportional set size (PSS): of a page that several processes share, each has a part.
    """
    total_bytes = sum(process.memory_full_info().pss for process in child_processes())
    return total_bytes / 2**20


def cpu_of_children_s() -> float:
    """Return the CPU seconds so far of all processes below this one."""
    total_ns = 0
    for process in child_processes():
        schedstat = Path(f"/proc/{process.pid}/schedstat").read_text()
        total_ns += int(schedstat.split()[0])
    return total_ns / 1e9


# Median times of an action, and the rows that print them.
#
#     print_time("a trivial step, child ready", median_ms(run_step, rounds=300), goal_ms="0.8")
#     # a trivial step, child ready                           0.237 ms  (0.8)
#
# The goal is in brackets.


def median_ms(action: Callable[[], object], rounds: int) -> float:
    """Return the median time of an action in milliseconds, after a few rounds to warm up."""
    for _ in range(min(5, rounds)):
        action()
    times_ms = []
    for _ in range(rounds):
        started_s = time.perf_counter()
        action()
        times_ms.append((time.perf_counter() - started_s) * 1000)
    return statistics.median(times_ms)


def print_time(title: str, milliseconds: float, goal_ms: str = "") -> None:
    """Print a row, with the goal in brackets: `a trivial step, child ready   0.237 ms  (0.8)`."""
    goal = f"  ({goal_ms})" if goal_ms else ""
    print(f"{title:<50}{milliseconds:9.3f} ms{goal}")


# Prints the least CPU time of one call of the harness, in the child and in the parent.
#
# The harness is what scripts call, in the child process of a sandbox; the host answers, in the parent.

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


# Prints the memory of a fork server, and of each child process that it has made for a sandbox.

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


# Prints how long after its deadline a script without end is stopped, in a sandbox.
#
#     an overrun in a loop       ended after its deadline       4.2 ms  (100)
#
# The goal, in brackets, is 100 ms.

ENDLESS_SCRIPTS = {"a loop": "while True: pass", "C code": "sum(range(10 ** 13))"}


DEADLINE_S = 0.5
"""When an endless script is stopped."""


def print_overruns() -> None:
    """Print how long after its deadline a script without end is stopped. The goal is 100 ms."""
    for title, script in ENDLESS_SCRIPTS.items():
        late_ms = step_ms_with_deadline(script) - DEADLINE_S * 1000
        print(
            f"an overrun in {title:<12} ended after its deadline  {late_ms:8.1f} ms  (100)"
        )


def step_ms_with_deadline(script: str) -> float:
    """Return the median time of a script's step, which is ended at its deadline."""
    limits = Limits(step_wall_s=DEADLINE_S)
    with ForkServer() as server, new_sandbox(server, limits=limits) as sandbox:
        sandbox.ready_child()  # so that the first step need not wait for its process
        return median_ms(lambda: sandbox.run(script), 5)


TRIVIAL_SCRIPT = "x = 1\ny = x + 1"


SCRIPT_OF_TEN_CALLS = "for i in range(10):\n    harness.stat('/docs')\n"


def print_first_step(rounds: int) -> None:
    """Print the time of a step that first needs a child process."""
    times_ms = []
    with ForkServer() as server:
        server.kernel_report()  # starts the server
        for _ in range(rounds):
            started_s = time.perf_counter()
            sandbox = new_sandbox(server)
            sandbox.run(TRIVIAL_SCRIPT)
            times_ms.append((time.perf_counter() - started_s) * 1000)
            sandbox.close()
    print_time(
        "a trivial step where a child must be made",
        statistics.median(times_ms),
        goal_ms="4",
    )


def print_further_steps(rounds: int) -> None:
    """Print the time of steps in a child process that has run one before."""
    with ForkServer() as server, new_sandbox(server) as sandbox:
        print_time(
            "a trivial step, child ready",
            median_ms(lambda: sandbox.run(TRIVIAL_SCRIPT), rounds),
            goal_ms="0.8",
        )
        print_time(
            "a step with ten calls, child ready",
            median_ms(lambda: sandbox.run(SCRIPT_OF_TEN_CALLS), rounds),
            goal_ms="1.5",
        )


def print_plain_python(rounds: int) -> None:
    """Print the time of the trivial script in a new process of Python."""

    def run_python() -> None:
        subprocess.run(
            [sys.executable, "-I", "-c", TRIVIAL_SCRIPT],
            check=True,
            capture_output=True,
        )

    print_time("a fresh python process", median_ms(run_python, max(5, rounds // 10)))
