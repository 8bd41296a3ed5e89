"""A benchmark of riddles, with which tests of `controlplane improve` play.

A task, such as `alder.1`, is played in several worlds. In world 4, its instruction is "Riddle of
the kind alder, number 4: what is the id of its record?", and its answer is "AL-477".
"""

import json
from collections.abc import Mapping

from controlplane import Benchmark, BenchmarkContext, RunRequest
from controlplane.sandbox.interface import Effect, Operation, Plain, ResultField
from tests.controlplane.improving.riddle_models import KINDS
from tests.support.many_trials import OneToolEnvironment, SmallBenchmark

LOOK = Operation(
    name="look",
    parameters=(),
    fields=(ResultField("content"),),
    summary="the record",
    effect=Effect.RETURNS,
)
"""`harness.look().content` is the riddle's record, the text `{"id": "AL-477"}`."""


class Riddles(SmallBenchmark):
    """The benchmark. Its trial `alder.1-4` plays the task `alder.1` in world 4.

    The base class calls these methods, and keeps the environment that `open_world` returns in
    `self.worlds["alder.1-4"]`.
    """

    name = "riddles"

    def trial_id(self, request: RunRequest, at: int) -> str:
        """Return the id of one trial of a run, of which the request has the task and the world."""
        attempt = request.tries[at]
        return f"{attempt.task_id}-{attempt.number}"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        """Return the instruction of a trial and its environment, in which `look` can be called."""
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
        """Return the right answer: for `alder.1-4`, two letters of `alder`, the world, and 77."""
        return f"{task_id[:2].upper()}-{world_number(trial_id)}77"


def world_number(trial_id: str) -> str:
    """Return the number of a trial's world: `4` for `alder.1-4`."""
    return trial_id.rpartition("-")[2]


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return Riddles([f"{kind.name}.1" for kind in KINDS])
