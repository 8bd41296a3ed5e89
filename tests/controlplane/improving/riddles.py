"""A benchmark of riddles, of which most are solved only with the right hints.

`controlplane improve` lets a model play tasks with hints, and another model propose better hints.
The task `alder.1` in world 7 has the instruction "Riddle of the kind alder, number 7: what is the id
of its record?", and the answer "AL-777". The benchmark itself looks at no hints; the model that plays
does (`riddle_models.py`).
"""

import json
from collections.abc import Mapping

from controlplane import Benchmark, BenchmarkContext, RunRequest
from controlplane.sandbox.interface import Effect, Operation, Plain, ResultField
from tests.controlplane.improving.riddle_kinds import KINDS
from tests.support.one_tool_environment import OneToolEnvironment
from tests.support.small_benchmark import SmallBenchmark

LOOK = Operation("look", (), (ResultField("content"),), "the record", Effect.RETURNS)
"""The only operation of a riddle: `harness.look()` returns its record, `{"id": "AL-777"}`."""


class Riddles(SmallBenchmark):
    """The benchmark. The trial `alder.1-7` plays the task `alder.1` in its world number 7.

    The right answer is the id of its record, `AL-777`: the beginning of `alder`, the number 7, and
    always 77.
    """

    name = "riddles"

    def trial_id(self, request: RunRequest, at: int) -> str:
        """Return the id of the trial at a place of the request: `alder.1-7`."""
        attempt = request.tries[at]
        return f"{attempt.task_id}-{attempt.number}"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        """Return the instruction and the environment of a trial, whose only call shows its record."""
        kind = task_id.removesuffix(".1")
        number = world_number(trial_id)
        instruction = (
            f"Riddle of the kind {kind}, number {number}: what is the id of its record?"
        )
        # A trial that is started again keeps its environment, and the answer given there.
        if trial_id in self.worlds:
            return instruction, self.worlds[trial_id]

        record = json.dumps({"id": self.expected(task_id, trial_id)})

        def look(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
            return {"content": record}

        return instruction, OneToolEnvironment(LOOK, look)

    def expected(self, task_id: str, trial_id: str) -> str:
        """Return the id in the record of a trial: `AL-777` for `alder.1-7`."""
        return f"{task_id[:2].upper()}-{world_number(trial_id)}77"


def world_number(trial_id: str) -> str:
    """Return the number of a trial's world: `7` for `alder.1-7`."""
    return trial_id.rpartition("-")[2]


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return Riddles([f"{kind.name}.1" for kind in KINDS])
