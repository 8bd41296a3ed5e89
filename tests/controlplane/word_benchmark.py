"""A benchmark of three words, whose grader gives each answer the same score, which may be odd.

The task `otter` asks "What does 'otter' mean?", and the operation `define(word="otter")` tells it.
`--set score=0.5` gives every trial this score, and `--set broken_task=newt` lets its trials fail to
start.
"""

from collections.abc import Mapping

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkOption,
    RunResult,
    RunState,
    TrialScore,
)
from controlplane.sandbox.interface import Operation, Parameter, Plain, ResultField
from tests.support.one_tool_environment import OneToolEnvironment
from tests.support.small_benchmark import SmallBenchmark

MEANINGS = {"heron": "a grey bird", "otter": "a river animal", "newt": "a small animal"}
"""The words, each of which is the name of a task."""

DEFINE = Operation(
    "define",
    (Parameter("word", "str"),),
    (ResultField("meaning"),),
    "what a word means",
)
"""The declaration of the one operation. It does not say that calls only read."""

OPTIONS = (
    BenchmarkOption("score", "the score of every trial, or none"),
    BenchmarkOption("broken_task", "a task whose trials cannot start"),
)
"""What `--set` can change: `--set score=0.5`."""


class WordBenchmark(SmallBenchmark):
    """Asks what a word means, and gives every answer the same score."""

    name = "words"

    def __init__(self, score: float | None, broken_task: str | None) -> None:
        super().__init__(tuple(MEANINGS))
        self.score = score
        self.broken_task = broken_task

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        if task_id == self.broken_task:
            raise OSError("the container did not start")

        def define(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
            return {"meaning": MEANINGS[str(arguments["word"])]}

        instruction = f"What does {task_id!r} mean? Answer with the meaning only."
        return instruction, OneToolEnvironment(DEFINE, define)

    def end_trial(self, trial_id: str) -> TrialScore:
        return TrialScore(trial_id, self.score)

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Return the scores of all trials that have started, and no score of the run itself."""
        trial_ids = self.worlds
        scores = tuple(self.end_trial(trial_id) for trial_id in trial_ids)
        return RunResult(run_id, RunState.EVALUATED, None, scores)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    score = None if settings["score"] == "none" else float(settings["score"])
    return WordBenchmark(score, settings.get("broken_task"))
