"""What work costs: milliseconds on the clock, and of CPU in this process and in a sandbox's child.

cost_of(lambda: sorted(words))              # Cost(time_ms=12.1, cpu_ms=12.0)
cost_of(lambda: sandbox.run("x = 7"), sandbox)      # with the CPU time of the child process
"""

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from controlplane.sandbox import Sandbox


class Cost(NamedTuple):
    """What some work has cost, in milliseconds."""

    time_ms: float
    cpu_ms: float

    def plus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms + other.time_ms, self.cpu_ms + other.cpu_ms)

    def minus(self, other: "Cost") -> "Cost":
        return Cost(self.time_ms - other.time_ms, self.cpu_ms - other.cpu_ms)


def cost_of(work: Callable[[], object], sandbox: Sandbox | None = None) -> Cost:
    """Do some work, and return its cost. With a sandbox, this includes its child process."""
    cpu_before_ms = cpu_ms(sandbox)
    started_s = time.perf_counter()

    work()

    time_ms = (time.perf_counter() - started_s) * 1_000
    return Cost(time_ms, cpu_ms(sandbox) - cpu_before_ms)


def cpu_ms(sandbox: Sandbox | None) -> float:
    """Return the CPU time so far of this process, and of the child process of a sandbox."""
    own_ms = time.process_time() * 1_000
    if sandbox is None or sandbox._process.child is None:
        return own_ms
    # The first number of this Linux file: nanoseconds that the process has spent on a CPU.
    schedstat = Path(f"/proc/{sandbox._process.child.pid}/schedstat").read_text("ascii")
    return own_ms + int(schedstat.split()[0]) / 1e6


def median_of(costs: Sequence[Cost]) -> Cost:
    """Return the median time and the median CPU time, which may be those of different costs."""
    return Cost(
        statistics.median(cost.time_ms for cost in costs),
        statistics.median(cost.cpu_ms for cost in costs),
    )


def least_of(costs: Sequence[Cost]) -> Cost:
    """Return the least time and the least CPU time, which may be those of different costs."""
    return Cost(min(cost.time_ms for cost in costs), min(cost.cpu_ms for cost in costs))
