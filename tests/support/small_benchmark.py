"""What the small benchmarks of the tests share: named tasks,
a world for each trial, and one right answer for each."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from controlplane import (
    Description,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskStub,
    Trial,
    TrialScore,
    TrialStub,
)
from controlplane.agent.model import Model
from controlplane.sandbox.interface import Operation, Plain, ToolSchema


class AnswerKeeper:
    """The half of an environment that keeps the answers; it has no clock."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, str]] = []

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append((message, outcome))

    def now(self) -> None:
        return None


class OneToolEnvironment(AnswerKeeper):
    """The whole environment of one operation: a function
    of its arguments, each call of which takes `delay_s`."""

    def __init__(
        self,
        operation: Operation,
        called: Callable[[Mapping[str, Plain]], dict[str, Plain]],
        delay_s: float = 0.0,
    ) -> None:
        super().__init__()
        self.tool_schema = ToolSchema(operations=(operation,))
        self.called, self.delay_s = called, delay_s

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        time.sleep(self.delay_s)
        return self.called(arguments)


class SmallBenchmark:
    """A benchmark whose trials are called `TASK-NUMBER`
    and score 1.0 for the one right answer, given once."""

    name = "small"

    def __init__(self, tasks: Sequence[str]) -> None:
        self.tasks = tuple(tasks)
        self.worlds: dict[str, Any] = {}

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, AnswerKeeper]:
        """Return the instruction of a trial and its environment."""
        raise NotImplementedError

    def expected(self, task_id: str, trial_id: str) -> str:
        """Return the right answer of a trial."""
        raise NotImplementedError

    def trial_id(self, request: RunRequest, at: int) -> str:
        return f"{request.tries[at].task_id}-{at}"

    def describe(self, preview_seed: int | None = None) -> Description:
        return Description(
            self.name, f"{self.name} of the tests", tuple(map(TaskStub, self.tasks))
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        heads = (
            TrialStub(self.trial_id(request, at), each.task_id)
            for at, each in enumerate(request.tries)
        )
        return StartedRun(self.name, tuple(heads))

    def start_trial(self, trial_id: str) -> Trial:
        task_id = self.task_of(trial_id)
        instruction, self.worlds[trial_id] = self.open_world(task_id, trial_id)
        return Trial(trial_id, task_id, instruction, self.worlds[trial_id])

    def task_of(self, trial_id: str) -> str:
        return trial_id.rpartition("-")[0]

    def end_trial(self, trial_id: str) -> TrialScore:
        expected = self.expected(self.task_of(trial_id), trial_id)
        right = self.worlds[trial_id].answers == [(expected, "OUTCOME_OK")]
        return TrialScore(
            trial_id, float(right), () if right else (f"expected {expected}",)
        )

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        scores = [self.end_trial(trial_id) for trial_id in list(self.worlds)]
        mean = sum(score.score or 0.0 for score in scores) / max(len(scores), 1)
        return RunResult(run_id, RunState.EVALUATED, mean, tuple(scores))

    def get_run(self, run_id: str) -> RunResult:
        return self.submit_run(run_id, force=False)

    def player(self) -> Model | None:
        return None

    def close(self) -> None:
        pass
