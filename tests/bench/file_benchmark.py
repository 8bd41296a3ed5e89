"""A benchmark of many alike trials over a few small files, for measuring what a trial costs."""

from collections.abc import Mapping, Sequence

from agent.model import Model
from controlplane import (
    Benchmark,
    BenchmarkContext,
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
from sandbox import FileTree
from sandbox.interface import FILE_OPERATIONS, OpeningCall, Plain, Surface

FILES = {"/AGENTS.MD": "Answer with the number alone.\n"} | {
    f"/records/{number}.json": f'{{"id": "r-{number}", "count": {number}}}' for number in range(20)
}
SURFACE = Surface(operations=FILE_OPERATIONS, opening=(OpeningCall("tree", {"root": "/", "level": 2}),))

STEP = """
listing = harness.list("/records")
first = harness.read("/records/{0}.json").json()
second = harness.read("/records/{1}.json").json()
totals = {{}}
for record in (first, second):
    totals[record["id"]] = totals.get(record["id"], 0) + record["count"]
scratchpad["totals"] = totals
print(len(listing.entries), sorted(totals.items()))
"""
ANSWER = """
record = harness.read("/records/7.json").json()
harness.stat("/records/8.json")
scratchpad["answer"] = str(record["count"])
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/records/7.json", "record r-7 holds the count 7")
def verify(sp):
    return sp["answer"] == "7" and sp["outcome"] == "OUTCOME_OK"
harness.answer(scratchpad, verify)
"""


class Environment:
    def __init__(self) -> None:
        self.surface = SURFACE
        self._tree = FileTree(FILES)
        self.answered: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            return {"stdout": f"{arguments['path']} prints this line\n", "stderr": "", "exit_code": 0}
        return getattr(self._tree, operation)(**arguments)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answered.append(message)

    def now(self) -> None:
        return None


class Shelf:
    def __init__(self, trials: int) -> None:
        self._trials = trials
        self._open: dict[str, Environment] = {}

    def describe(self, preview_seed: int | None = None) -> Description:
        return Description(
            "shelf", "alike trials", tuple(TaskHead(f"count.{number}") for number in range(self._trials))
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        return StartedRun("shelf", tuple(TrialHead(str(each), each.task_id) for each in request.tries))

    def start_trial(self, trial_id: str) -> Trial:
        here = self._open[trial_id] = Environment()
        return Trial(trial_id, trial_id.rpartition("-")[0], "What is the count of record r-7? Number only.", here)

    def end_trial(self, trial_id: str) -> TrialScore:
        return TrialScore(trial_id, float(self._open.pop(trial_id).answered == ["7"]))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        return RunResult(run_id, RunState.EVALUATED, None, ())

    def get_run(self, run_id: str) -> RunResult:
        return self.submit_run(run_id, force=False)

    def player(self) -> Model | None:
        return None

    def close(self) -> None:
        pass


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> Benchmark:
    return Shelf(int(argument))
