"""Prints how long a step takes, which is one script in a sandbox.

    a trivial step, child ready                           0.237 ms  (0.8)

A sandbox runs its scripts in a child process, which a *fork server* makes. Beside it stands the time
of a fresh `python` process.
"""

import statistics
import subprocess
import sys
import time

from controlplane.sandbox import ForkServer
from tests.bench.sandbox.printed_times import median_ms, print_time
from tests.sandbox.opened_sandboxes import new_sandbox

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
