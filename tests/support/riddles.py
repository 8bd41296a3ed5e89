"""A benchmark of riddles, some of which are solved only with the right prompt.

`controlplane improve` lets one model solve tasks with a prompt, and another propose better prompts.
Here the right prompt is known. There are six kinds of riddles, each with one task:

- alder, birch and cedar are solved only if the prompt has the sentence that `HELPS` has for them;
- dogwood and elm are solved unless the prompt has the sentence that `HARMS` has for them;
- fir is always solved.
"""

import json
from collections.abc import Mapping

from controlplane import Benchmark, BenchmarkContext, RunRequest
from controlplane.sandbox.interface import Effect, Operation, Plain, ResultField
from tests.support.small_benchmark import OneToolEnvironment, SmallBenchmark

LOOK = Operation("look", (), (ResultField("content"),), "the record", Effect.RETURNS)
"""The only operation of a riddle: `harness.look()` returns its record, `{"id": "AL-777"}`."""

HELPS = {
    "alder": "Read the record twice.",
    "birch": "Name the code alone.",
    "cedar": "Keep the letter case.",
}
"""The sentence that a prompt needs for each of these kinds.

Nothing here looks at the prompt. The model that plays, `tests/support/riddle_models.py`, does: it
solves a riddle only with the right prompt.
"""

HARMS = {"dogwood": "Answer before you look.", "elm": "Shorten every code."}
"""The sentence that a prompt must not have, for each of these kinds."""
KINDS = (*HELPS, *HARMS, "fir")
"""All kinds; nothing in a prompt matters for `fir`."""


class Riddles(SmallBenchmark):
    """The benchmark. The trial `alder.1-7` plays the task `alder.1` in its world number 7.

    Its record has the id `AL-777`: the beginning of `alder`, the number 7, and always 77.
    """

    name = "riddles"

    def trial_id(self, request: RunRequest, at: int) -> str:
        """Return the id of the trial at a place of the request: `alder.1-7`."""
        attempt = request.tries[at]
        return f"{attempt.task_id}-{attempt.number}"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        """Return the instruction and the environment of a trial, whose only call shows its record.

        `self.worlds` has the environments of the trials that have started.
        """
        kind = task_id.removesuffix(".1")
        number = world_number(trial_id)
        instruction = (
            f"Riddle of the kind {kind}, number {number}: what is the id of its record?"
        )
        # A trial that is started again keeps its world, and the answer given there.
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
    return Riddles([f"{kind}.1" for kind in KINDS])
