"""A benchmark of as many trials as a test needs: `--benchmark tests.support.many_trials:25`.

Each task asks "How many are there?". The environment's one operation, `count`, always returns 7.
Every fifth task expects 8, so that some trials score 0. With `--set seconds=0.2`, every call
takes 0.2 s.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkOption,
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
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ResultField,
    ToolSchema,
)

# Environments of trials that keep the answers of the agent, and may have one tool.
#
#     world = OneToolEnvironment(LOOKUP, compute=lambda arguments: {"number": 17})
#     world.call("lookup", {"name": "ada"})     # {"number": 17}
#
# An environment is what an agent finds in a trial: files or tools.


class AnswerKeeper:
    """The part of an environment that keeps the answers; it has no clock."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, str]] = []
        """All answers so far, as message and outcome: `("17", "OUTCOME_OK")`."""

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append((message, outcome))

    def now(self) -> None:
        return None


class OneToolEnvironment(AnswerKeeper):
    """An environment with one operation, which `compute` computes from its arguments.

    Each call takes `delay_s` seconds.
    """

    def __init__(
        self,
        operation: Operation,
        compute: Callable[[Mapping[str, Plain]], dict[str, Plain]],
        delay_s: float = 0.0,
    ) -> None:
        super().__init__()
        self.tool_schema = ToolSchema(operations=(operation,))
        self.compute = compute
        self.delay_s = delay_s

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        time.sleep(self.delay_s)
        return self.compute(arguments)


# The base class of the small benchmarks with which tests run the product.
#
# A benchmark has tasks, such as `ada`. A run of it has trials: attempts at a task, such as
# `ada-0`. Each trial has an environment (files or tools that the agent can call) and an
# instruction, and scores 1.0 if the agent gives the right answer. A benchmark of a test inherits
# from `SmallBenchmark` and defines `open_world` and `expected`; `tests/support/phonebook.py` does.


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


OPTIONS = (BenchmarkOption("seconds", "seconds that every call takes"),)
"""What `--set` can change."""

DEFAULT_SIZE = 3
"""The number of tasks if the benchmark's name does not tell it."""

COUNT = Operation("count", (), (ResultField("number"),), "the number", Effect.RETURNS)
"""The only operation: `harness.count().number`."""
COUNTED_NUMBER = "7"
"""What `count` returns in every trial."""
OTHER_NUMBER = "8"
"""What every fifth task expects."""


class ManyTrials(SmallBenchmark):
    """The benchmark, with the tasks `seat-001`, `seat-002`, ..."""

    name = "crowd"

    def __init__(self, size: int, seconds: float) -> None:
        super().__init__([f"seat-{number:03}" for number in range(1, size + 1)])
        self.seconds = seconds
        """How long every call of `count` takes."""

    def trial_id(self, request: RunRequest, at: int) -> str:
        """Return the id of the trial that is at this place of the run: `seat-001-t0`."""
        return f"{request.tries[at].task_id}-t{at}"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        instruction = "How many are there? Answer with '%d' only."

        def count(arguments: Any) -> dict[str, str]:
            return {"number": COUNTED_NUMBER}

        return instruction, OneToolEnvironment(COUNT, count, self.seconds)

    def expected(self, task_id: str, trial_id: str) -> str:
        """Return the right answer. Every fifth task has another one, so that its trial fails."""
        task_number = int(task_id.split("-")[1])
        return OTHER_NUMBER if task_number % 5 == 0 else COUNTED_NUMBER


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return ManyTrials(int(argument or DEFAULT_SIZE), float(settings.get("seconds", 0)))
