"""A benchmark of as many trials as a test needs: `--benchmark tests.support.many_trials:25`.

Each task asks "How many are there?". The environment's one operation, `count`, always returns 7.
Every fifth task expects 8, so that some trials score 0. With `--set seconds=0.2`, every call
takes 0.2 s.
"""

from collections.abc import Mapping
from typing import Any

from controlplane import Benchmark, BenchmarkContext, BenchmarkOption, RunRequest
from controlplane.sandbox.interface import Effect, Operation, ResultField
from tests.support.one_tool_environment import OneToolEnvironment
from tests.support.small_benchmark import SmallBenchmark

OPTIONS = (BenchmarkOption("seconds", "seconds that every call takes"),)
"""What `--set` can change."""

DEFAULT_SIZE = 3
"""The number of tasks if the benchmark's name does not tell it."""

COUNT = Operation("count", (), (ResultField("number"),), "the number", Effect.RETURNS)
"""The only operation: `harness.count().number`."""
COUNTED_NUMBER = "7"
"""What `count` returns in every trial."""
OTHER_NUMBER = "8"
"""What every fifth task expects."""


class ManyTrials(SmallBenchmark):
    """The benchmark, with the tasks `seat-001`, `seat-002`, ..."""

    name = "crowd"

    def __init__(self, size: int, seconds: float) -> None:
        super().__init__([f"seat-{number:03}" for number in range(1, size + 1)])
        self.seconds = seconds
        """How long every call of `count` takes."""

    def trial_id(self, request: RunRequest, at: int) -> str:
        """Return the id of the trial that is at this place of the run: `seat-001-t0`."""
        return f"{request.tries[at].task_id}-t{at}"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        instruction = "How many are there? Answer with '%d' only."

        def count(arguments: Any) -> dict[str, str]:
            return {"number": COUNTED_NUMBER}

        return instruction, OneToolEnvironment(COUNT, count, self.seconds)

    def expected(self, task_id: str, trial_id: str) -> str:
        """Return the right answer. Every fifth task has another one, so that its trial fails."""
        task_number = int(task_id.split("-")[1])
        return OTHER_NUMBER if task_number % 5 == 0 else COUNTED_NUMBER


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return ManyTrials(int(argument or DEFAULT_SIZE), float(settings.get("seconds", 0)))
