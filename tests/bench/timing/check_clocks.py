"""What work costs: milliseconds on the clock and of CPU, of this process and of a sandbox's child.

    started = clocks()
    ...  # some work
    cost = clocks().minus(started)  # Cost(time_ms=12.1, cpu_ms=4.3)

The same record holds the readings of the clocks and the difference of two.
"""

import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from controlplane.sandbox import Sandbox


class Cost(NamedTuple):
    """Milliseconds on the clock, and of CPU: of some work, or since the clocks began."""

    time_ms: float
    cpu_ms: float

    def plus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms + other.time_ms, self.cpu_ms + other.cpu_ms)

    def minus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms - other.time_ms, self.cpu_ms - other.cpu_ms)


def median_of(costs: Sequence[Cost]) -> Cost:
    """Return the median time and the median CPU, which may be those of different costs."""
    return Cost(
        statistics.median(cost.time_ms for cost in costs),
        statistics.median(cost.cpu_ms for cost in costs),
    )


def clocks() -> Cost:
    """Return what the clock shows, and the CPU time of this process so far.

    The cost of some work is `clocks().minus(started)`, with `started = clocks()` before it.
    """
    return Cost(time_ms=time.perf_counter() * 1_000, cpu_ms=time.process_time() * 1_000)


def clocks_with_child(sandbox: Sandbox) -> Cost:
    """Return `clocks()`, with the CPU time of the child process in which the sandbox runs code.

    The child starts with the first code that the sandbox runs, so there may be none yet.
    """
    own_clocks = clocks()
    child = sandbox._process.child
    if child is None:
        return own_clocks

    # The first number of this Linux file: nanoseconds that the process has spent on a CPU.
    schedstat = Path(f"/proc/{child.pid}/schedstat").read_text("ascii")
    child_cpu_ns = int(schedstat.split()[0])
    return own_clocks.plus(Cost(time_ms=0.0, cpu_ms=child_cpu_ns / 1e6))
