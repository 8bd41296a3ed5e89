"""A benchmark of three trials, of which all but the first wait to be let go by the test.

    run --benchmark tests.controlplane.commands.named_commands.held_trials

The first trial ends by itself. The others start as soon as the working folder has a file `go`, so
that a test can interrupt the run between the first two.
"""

from collections.abc import Mapping
from pathlib import Path

from controlplane import Benchmark, BenchmarkContext
from tests.support.command import wait_until
from tests.support.many_trials import ManyTrials, OneToolEnvironment


class HeldTrials(ManyTrials):
    """The tasks `seat-001`, `seat-002` and `seat-003` of `tests.support.many_trials`."""

    def __init__(self) -> None:
        super().__init__(size=3, seconds=0)

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        if task_id != "seat-001":
            wait_until(Path("go").exists)
        return super().open_world(task_id, trial_id)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return HeldTrials()
