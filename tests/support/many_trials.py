"""A benchmark of any number of trials: `tests.support.many_trials:N`; `--set seconds=S` makes their calls slow.

Every fifth trial expects another number than the one that its environment tells, so that scores differ.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from agent.model import Model
from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkOption,
    Description,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskHead,
    Trial,
    TrialHead,
    TrialScore,
)
from sandbox.interface import Operation, Plain, ResultField, Surface

OPTIONS = (BenchmarkOption("seconds", "seconds that every call takes"),)
COUNT = Operation("count", (), (ResultField("number"),), "the number")

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


class Counter:
    def __init__(self, seconds: float) -> None:
        self.surface = Surface(operations=(COUNT,))
        self.seconds = seconds
        self.answers: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        time.sleep(self.seconds)
        return {"number": "7"}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(message)

    def now(self) -> None:
        return None


class Crowd:
    def __init__(self, size: int, seconds: float) -> None:
        self.tasks = tuple(f"seat-{number:03}" for number in range(1, size + 1))
        self.seconds = seconds
        self.counters: dict[str, Counter] = {}

    def describe(self, preview_seed: int | None = None) -> Description:
        return Description("crowd", "slow counting", tuple(TaskHead(task) for task in self.tasks))

    def start_run(self, request: RunRequest) -> StartedRun:
        heads = (TrialHead(f"{each.task_id}-t{at}", each.task_id) for at, each in enumerate(request.tries))
        return StartedRun("crowd", tuple(heads))

    def start_trial(self, trial_id: str) -> Trial:
        task = trial_id.rpartition("-")[0]
        self.counters[trial_id] = Counter(self.seconds)
        return Trial(trial_id, task, "How many are there? Answer with '%d' only.", self.counters[trial_id])

    def end_trial(self, trial_id: str) -> TrialScore:
        seat = int(trial_id.split("-")[1])
        expected = "8" if seat % 5 == 0 else "7"
        right = self.counters[trial_id].answers == [expected]
        return TrialScore(trial_id, float(right), () if right else (f"expected {expected}",))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        scores = tuple(self.end_trial(counter) for counter in self.counters)
        return RunResult(
            run_id, RunState.EVALUATED, sum(score.score or 0 for score in scores) / max(len(scores), 1), scores
        )

    def get_run(self, run_id: str) -> RunResult:
        return self.submit_run(run_id, force=False)

    def player(self) -> Model | None:
        return None

    def close(self) -> None:
        pass


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> Benchmark:
    return Crowd(int(argument or 3), float(settings.get("seconds", 0)))


def wait_for_turns(folder: Path, turns: int = 1) -> None:
    """Wait until the run in `folder` has asked its model `turns` times."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        journals = [path.read_bytes() for path in (folder / "runs").glob("*.jsonl")]
        if any(journal.count(b'"type":"model_asked"') >= turns for journal in journals):
            return
        time.sleep(0.05)
    msg = "the run did not begin"
    raise AssertionError(msg)
