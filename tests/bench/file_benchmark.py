"""A benchmark whose trials are all alike, to measure what a trial costs.

`--benchmark tests.bench.file_benchmark:100` has 100 tasks, count.0 to count.99. Each asks for the
count in a record, which is a small file, and scores 1.0 for the answer 7.
"""

from collections.abc import Mapping

from controlplane import Benchmark, BenchmarkContext, TrialScore
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.support.many_trials import AnswerKeeper, SmallBenchmark

FILES = {"/AGENTS.MD": "Answer with the number alone.\n"}
for _number in range(20):
    FILES[f"/records/{_number}.json"] = f'{{"id": "r-{_number}", "count": {_number}}}'

TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(InitialCall("tree", {"root": "/", "level": 2}),),
)


class RecordFiles(AnswerKeeper):
    """The environment of a trial: 20 records and a page. Scripts may read and change these files."""

    def __init__(self) -> None:
        super().__init__()
        self.tool_schema = TOOL_SCHEMA
        self._tree = FileTree(FILES)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            # There are no programs to run. A script that runs one gets a line all the same, so that
            # the cost of a run is measured without that of a process.
            return {
                "stdout": f"{arguments['path']} prints this line\n",
                "stderr": "",
                "exit_code": 0,
            }
        file_operation = getattr(self._tree, operation)  # such as `FileTree.read`
        result: dict[str, Plain] = file_operation(**arguments)
        return result


class Shelf(SmallBenchmark):
    """The benchmark. It forgets the environment of a trial that has ended, to save memory."""

    name = "shelf"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, RecordFiles]:
        return "What is the count of record r-7? Number only.", RecordFiles()

    def expected(self, task_id: str, trial_id: str) -> str:
        return "7"

    def end_trial(self, trial_id: str) -> TrialScore:
        score = super().end_trial(trial_id)
        self.worlds.pop(trial_id)
        return score


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return a benchmark with as many tasks as `argument`, the text behind the colon, says."""
    return Shelf([f"count.{number}" for number in range(int(argument))])
