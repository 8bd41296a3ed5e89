"""A benchmark of any number of trials: `tests.support.many_trials:N`;
`--set seconds=S` makes their calls slow.

Every fifth trial expects another number than the one that its environment tells, so
that scores differ.
"""

from collections.abc import Mapping
from pathlib import Path

from controlplane import Benchmark, BenchmarkContext, BenchmarkOption, RunRequest
from controlplane.sandbox.interface import Effect, Operation, ResultField
from tests.support.command import wait_until
from tests.support.small_benchmark import OneToolEnvironment, SmallBenchmark

OPTIONS = (BenchmarkOption("seconds", "seconds that every call takes"),)
COUNT = Operation("count", (), (ResultField("number"),), "the number", Effect.RETURNS)

SCRIPT = """
[[reply]]
state = "count"
plan = ["count", "answer"]
code = '''
scratchpad["n"] = harness.count().number
console.log("counted", scratchpad["n"])
'''
[[reply]]
state = "answer without words"
code = '''
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "OUTCOME_OK")
'''
[[reply]]
state = "answer"
done = true
code = '''
harness.count()
scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["n"])
'''
"""
"""Three turns that fit every trial; the gates send the second back."""


class Crowd(SmallBenchmark):
    name = "crowd"

    def __init__(self, size: int, seconds: float) -> None:
        super().__init__([f"seat-{number:03}" for number in range(1, size + 1)])
        self.seconds = seconds

    def trial_id(self, request: RunRequest, at: int) -> str:
        return f"{request.tries[at].task_id}-t{at}"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        return "How many are there? Answer with '%d' only.", OneToolEnvironment(
            COUNT, lambda _: {"number": "7"}, self.seconds
        )

    def expected(self, task_id: str, trial_id: str) -> str:
        return "8" if int(task_id.split("-")[1]) % 5 == 0 else "7"


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    return Crowd(int(argument or 3), float(settings.get("seconds", 0)))


def wait_for_turns(folder: Path, turns: int = 1) -> None:
    """Wait until the run in `folder` has asked its model `turns` times."""
    asked, journals = b'"type":"model_asked"', folder / "runs"
    wait_until(
        lambda: any(
            path.read_bytes().count(asked) >= turns for path in journals.glob("*.jsonl")
        ),
        within_s=30,
    )
