"""The time that a function takes to play tasks, children of this process included.

`cost_of(play)` is, for example, `Cost(plays=20, cpu_s=3.1, wall_s=3.3)`.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


@dataclass(frozen=True, slots=True)
class Cost:
    """What playing AgentDojo's tasks costs one runner, in all."""

    plays: int
    cpu_s: float
    wall_s: float


def cost_of(play: Callable[[], int]) -> Cost:
    """Measure a function that plays tasks and returns how many it played."""
    cpu_before_s = cpu_seconds()
    started_s = time.perf_counter()
    plays = play()
    return Cost(
        plays=plays,
        cpu_s=cpu_seconds() - cpu_before_s,
        wall_s=time.perf_counter() - started_s,
    )
