"""A benchmark of many alike trials over a few small files, for measuring what a trial costs."""

from collections.abc import Mapping

from controlplane import Benchmark, BenchmarkContext, TrialScore
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.support.small_benchmark import AnswerKeeper, SmallBenchmark

FILES = {"/AGENTS.MD": "Answer with the number alone.\n"} | {
    f"/records/{number}.json": f'{{"id": "r-{number}", "count": {number}}}'
    for number in range(20)
}
TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(InitialCall("tree", {"root": "/", "level": 2}),),
)

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


class Records(AnswerKeeper):
    def __init__(self) -> None:
        super().__init__()
        self.tool_schema = TOOL_SCHEMA
        self._tree = FileTree(FILES)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            return {
                "stdout": f"{arguments['path']} prints this line\n",
                "stderr": "",
                "exit_code": 0,
            }
        return getattr(self._tree, operation)(**arguments)


class Shelf(SmallBenchmark):
    name = "shelf"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, Records]:
        return "What is the count of record r-7? Number only.", Records()

    def expected(self, task_id: str, trial_id: str) -> str:
        return "7"

    def end_trial(self, trial_id: str) -> TrialScore:
        score = super().end_trial(trial_id)
        self.worlds.pop(trial_id)
        return score


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    return Shelf([f"count.{number}" for number in range(int(argument))])
