"""The base class of the small benchmarks with which tests run the product.

A benchmark has tasks, such as `ada`. A run of it has trials: attempts at a task, such as
`ada-0`. Each trial has an environment (files or tools that the agent can call) and an
instruction, and scores 1.0 if the agent gives the right answer. A benchmark of a test inherits
from `SmallBenchmark` and defines `open_world` and `expected`; `tests/support/phonebook.py` does.
"""

from collections.abc import Sequence
from typing import Any

from controlplane import (
    Description,
    ListedTask,
    PlannedTrial,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    Trial,
    TrialScore,
)
from controlplane.agent.model import Model
from tests.support.one_tool_environment import AnswerKeeper


class SmallBenchmark:
    """A benchmark of a few tasks. A trial scores 1.0 if the right answer was given, once.

    It has the methods that the product asks of a benchmark, and calls in this order: `describe`,
    `start_run`, for each trial `start_trial` and `end_trial`, `submit_run`, `close`.
    """

    name = "small"

    def __init__(self, tasks: Sequence[str]) -> None:
        self.tasks = tuple(tasks)
        self.worlds: dict[str, Any] = {}
        """The environments of the trials that have started, by the trials' ids."""

    # What a benchmark of a test defines.

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, AnswerKeeper]:
        """Return the instruction of a trial and its environment."""
        raise NotImplementedError

    def expected(self, task_id: str, trial_id: str) -> str:
        """Return the right answer of a trial."""
        raise NotImplementedError

    # The ids of trials.

    def trial_id(self, request: RunRequest, at: int) -> str:
        """Return the id of a run's trial by its place in the run: `ada-0`."""
        task_id = request.tries[at].task_id
        return f"{task_id}-{at}"

    def task_of(self, trial_id: str) -> str:
        """Return the task of a trial: `ada` for `ada-0`."""
        return trial_id.rpartition("-")[0]

    # What the product calls.

    def describe(self, preview_seed: int | None = None) -> Description:
        tasks = tuple(ListedTask(task_id) for task_id in self.tasks)
        return Description(self.name, f"{self.name} of the tests", tasks)

    def start_run(self, request: RunRequest) -> StartedRun:
        trials: list[PlannedTrial] = []
        for place, attempt in enumerate(request.tries):
            trials.append(PlannedTrial(self.trial_id(request, place), attempt.task_id))
        return StartedRun(self.name, tuple(trials))

    def start_trial(self, trial_id: str) -> Trial:
        task_id = self.task_of(trial_id)
        instruction, world = self.open_world(task_id, trial_id)
        self.worlds[trial_id] = world
        return Trial(trial_id, task_id, instruction, world)

    def end_trial(self, trial_id: str) -> TrialScore:
        """Return the score of a trial that has started, also if it has no answer."""
        expected = self.expected(self.task_of(trial_id), trial_id)
        if self.worlds[trial_id].answers == [(expected, "OUTCOME_OK")]:
            return TrialScore(trial_id, 1.0, ())
        return TrialScore(trial_id, 0.0, (f"expected {expected}",))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Return the mean score of all trials that have started, and their scores."""
        scores = [self.end_trial(trial_id) for trial_id in list(self.worlds)]
        total = sum(score.score or 0.0 for score in scores)
        mean_score = total / len(scores) if scores else 0.0
        return RunResult(run_id, RunState.EVALUATED, mean_score, tuple(scores))

    def get_run(self, run_id: str) -> RunResult:
        return self.submit_run(run_id, force=False)

    def player(self) -> Model | None:
        """Return None: the benchmark has no model of its own, so a run has to name one."""
        return None

    def close(self) -> None:
        pass
