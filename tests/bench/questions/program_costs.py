"""The time that a program takes, its children included.

`best_cost_of(["python", "-c", "1"], folder)` is, for example, `Cost(wall_s=0.021, cpu_s=0.019)`.
"""

import resource
import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple

from tests.support.command import ROOT, clean_environment

ROUNDS = 3


class Cost(NamedTuple):
    """Seconds that a program took, its children included."""

    wall_s: float
    cpu_s: float


def cost_of(words: Sequence[str], working_folder: str) -> Cost:
    """Run a program to its end. Raises if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started_s = time.monotonic()
    subprocess.run(
        words,
        cwd=working_folder,
        env={**clean_environment(), "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    wall_s = time.monotonic() - started_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user_s = after.ru_utime - before.ru_utime
    system_s = after.ru_stime - before.ru_stime
    return Cost(wall_s=wall_s, cpu_s=user_s + system_s)


def best_cost_of(words: Sequence[str], working_folder: str) -> Cost:
    """Return the least wall time and the least CPU of several runs of a program."""
    costs = [cost_of(words, working_folder) for _ in range(ROUNDS)]
    return Cost(
        wall_s=min(cost.wall_s for cost in costs),
        cpu_s=min(cost.cpu_s for cost in costs),
    )
