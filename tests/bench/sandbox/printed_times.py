"""Median times of an action, and the rows that print them.

    print_time("a trivial step, child ready", median_ms(run_step, rounds=300), goal_ms="0.8")
    # a trivial step, child ready                           0.237 ms  (0.8)

The goal is in brackets.
"""

import statistics
import time
from collections.abc import Callable


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
