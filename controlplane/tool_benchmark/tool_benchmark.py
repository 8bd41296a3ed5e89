"""Benchmarks written as three methods: list the tasks, generate one, and grade its end."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from controlplane.agent.evidence import Environment
from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    Description,
    OpenedBenchmark,
    TaskStub,
    TaskTry,
    Trial,
)
from controlplane.local_benchmark.generated_trial import GeneratedTrial, Grade
from controlplane.local_benchmark.local_benchmark import LocalBenchmark
from controlplane.local_benchmark.trial_ids import UNPLAYED_TOKEN
from controlplane.sandbox.interface import error_codes
from controlplane.tool_benchmark.task_environment import TaskEnvironment
from controlplane.tool_benchmark.truth_player import Truth, TruthPlayer
from controlplane.tools.script_names import plain_name

Citations: TypeAlias = Literal["asked", "none"]
"""Whether an answer has to name the documents that it relies on."""
Graded: TypeAlias = "Grade | float | tuple[float, Iterable[str]] | tuple[float, Iterable[str], Mapping[str, float]]"
"""What a grader may return: a `Grade`, or one of these forms.

- `0.5`: the score. True and False are scores, too.
- `0.5, ["no citation"]`: the score, with lines that say why it is not the best one.
- `0.5, ["no citation"], {"security": 1.0}`: the same, with further metrics by name.
"""
SHOWN_GRADE_CHARS: Final = 200
SHOWN_NAMES_CHARS: Final = 300


class ScoreScale(NamedTuple):
    """The lowest and the highest score of a benchmark."""

    lowest: float
    highest: float


UNIT_SCALE: Final = ScoreScale(0, 1)
ANY_NUMBER: Final = ScoreScale(-math.inf, math.inf)
"""The scale of scorers of other frameworks, which declare none."""


class ToolBenchmark(ABC):
    """A benchmark as three methods. The control plane does everything else for a run.

    A module offers it as `open_benchmark = MyBenchmark`. Its worlds are Python objects
    of this process. They are created anew to fork a trial, or to resume one by
    repeating its calls.
    """

    name: ClassVar[str] = ""
    """The name in journals; if empty, the class's name in lower case."""
    summary: ClassVar[str] = ""
    """One line for lists of benchmarks."""
    citations: Citations = "asked"
    """`none` if the benchmark has no documents. Then the prompt
    and the gates leave citations out, and an answer may be empty."""
    repeats_all_calls: bool = True
    """What a resumed trial repeats in its new environment. True: all its calls,
    because `grade` may judge the list of calls (`TaskEnvironment.calls`). False:
    only calls that act."""
    has_scores: bool = True
    """False if nothing is graded."""
    scale: tuple[float, float] = UNIT_SCALE
    """The lowest and the highest score. A score outside of this scale is an error of the grader."""

    def __init__(
        self,
        argument: str = "",
        settings: Mapping[str, str] | None = None,
        context: BenchmarkContext | None = None,
    ) -> None:
        """Create the benchmark.

        `argument` is the part of `--benchmark NAME:ARGUMENT` after the colon.
        `settings` are the options of `--set`.
        """
        self.argument = argument
        self.settings = settings or {}
        self.context = context or BenchmarkContext()

    @abstractmethod
    def task_ids(self) -> Sequence[str]:
        """Return the ids of all tasks. Each is a name or `FAMILY.NAME`."""

    @abstractmethod
    def generate(self, task_id: str) -> tuple[str, Any]:
        """Return the instruction of a task, and a new environment that no other trial uses.

        The environment is a `TaskEnvironment`, or an object of the benchmark with the
        methods of `controlplane.agent.evidence.Environment`.
        """

    @abstractmethod
    def grade(self, task_id: str, environment: Any) -> Graded:
        """Return the score of a trial that has ended in this environment.

        The score is within the scale. It may come with lines that say why it is not the
        best score, and with further metrics by name.
        """

    def preview(self, task_id: str) -> str:
        """Return the beginning of a task's instruction, for lists of tasks.

        It is empty if it is unknown before the task is generated.
        """
        return ""

    def player(self) -> Model | None:
        """Return a model that plays if the user names none; None if the benchmark has none.

        If the benchmark has `truth`, the model carries out that ground truth.
        """
        # A subclass knows the truth if it has a method `truth` of its own.
        overrides_truth = type(self).truth is not ToolBenchmark.truth
        return TruthPlayer(self.truth) if overrides_truth else None

    def truth(self, task_id: str) -> Truth | None:
        """Return the right way to do a task; None if it is not known."""
        return None

    def close(self) -> None:
        """Release resources. Called when the run is over."""
        return

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it.

        Raises `BenchmarkError` for a tool that does not declare whether it changes
        anything (its effect).
        """
        runs = ToolBenchmarkRuns(self)
        for task_id in islice(runs.task_ids, 1):
            # Create one world, only to check its tools. The tasks of a benchmark mostly
            # have the same tools, so the first task is enough.
            trial_id = runs.trial_id(TaskTry(task_id, 0), seed=0, token=UNPLAYED_TOKEN)
            runs.generate(trial_id)
        return OpenedBenchmark(
            runs,
            ended_elsewhere=runs.take_score,
            rebuilds_trials=True,
            tool_schemas=runs.tool_schemas,
        )


class ToolBenchmarkRuns(LocalBenchmark):
    """A `ToolBenchmark` with what it lacks: the ids, states and scores of runs and trials."""

    def __init__(self, benchmark: ToolBenchmark) -> None:
        """Take the tasks of a benchmark. Raises `BenchmarkError` if one is listed twice."""
        name = benchmark.name or type(benchmark).__name__
        task_ids: dict[str, None] = {}  # The keys are a set that keeps the order.
        for task_id in benchmark.task_ids():
            if task_id in task_ids:
                msg = f"{name} lists the task {task_id!r} twice"
                raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
            task_ids[task_id] = None
        super().__init__(_name_in_ids(name), task_ids, has_scores=benchmark.has_scores)
        self._tasks = benchmark
        """The benchmark, which has the tasks and their grader."""

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks, with the previews and the summary that their benchmark gives.

        The previews do not depend on a seed, so `preview_seed` has no effect.
        """
        stubs = tuple(
            TaskStub(task_id, self._tasks.preview(task_id)) for task_id in self.task_ids
        )
        return Description(
            self.name, self._tasks.summary or f"{len(stubs)} tasks", stubs
        )

    def player(self) -> Model | None:
        """Return the benchmark's own player."""
        return self._tasks.player()

    def close(self) -> None:
        """Release the open trials and the benchmark."""
        super().close()
        self._tasks.close()

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Create the world of a trial.

        Raises `BenchmarkError` for an id that is not a trial's, and for a tool that
        declares no effect.
        """
        task_id, _ = self.parts_of(trial_id)
        instruction, task_environment = self._tasks.generate(task_id)
        if isinstance(task_environment, TaskEnvironment):
            # Whether answers have to cite sources is a setting of the benchmark.
            runtime = task_environment.runtime
            runtime.tool_schema = replace(
                runtime.tool_schema, citations=self._tasks.citations
            )
            environment: Environment = runtime
        else:
            environment = task_environment
        _check_effects(environment.tool_schema.undeclared)

        def grade() -> Grade:
            graded = self._tasks.grade(task_id, task_environment)
            return grade_of(
                graded, f"the grader of {task_id}", ScoreScale(*self._tasks.scale)
            )

        trial = Trial(
            trial_id,
            task_id,
            instruction,
            environment,
            # An environment of the benchmark's own class may have no such method.
            use_worker=getattr(environment, "use_worker", None),
            repeats_all_calls=self._tasks.repeats_all_calls,
        )
        return GeneratedTrial(trial, grade)


def _name_in_ids(name: str) -> str:
    """Return a benchmark's name as ids of runs contain it: `My_Tasks` -> `my-tasks`."""
    words = plain_name(name.lower()).split("_")
    return "-".join(word for word in words if word)


def _check_effects(undeclared_tools: Iterable[str]) -> None:
    """Raise `BenchmarkError` if there are tools without a declared effect."""
    names = ", ".join(undeclared_tools)[:SHOWN_NAMES_CHARS]
    if names:
        msg = (
            f"what calls of {names} do is not declared: say effect='returns' of those that "
            "only read, and 'acts' of those that may change something (a call that acts is "
            "recorded before it is made, and never repeated unasked)"
        )
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)


def grade_of(graded: Graded, grader: str, scale: ScoreScale = UNIT_SCALE) -> Grade:
    """Return a grader's result as a `Grade`.

    Its lines are dropped if the score is the best one.

    Raises `TypeError` for a result of another type, and `ValueError` for a score
    outside of the scale.
    """
    score: Any
    lines: Any
    metrics: Any
    if isinstance(graded, tuple) and len(graded) == 3:
        score, lines, metrics = graded
    elif isinstance(graded, tuple) and len(graded) == 2:
        score, lines = graded
        metrics = {}
    else:
        score = graded
        lines = ()
        metrics = {}

    if isinstance(score, Grade):
        _check_scale(score.score, grader, scale)
        return score
    is_score = isinstance(score, int | float)
    if not is_score or isinstance(lines, str) or not isinstance(metrics, Mapping):
        msg = (
            f"{grader} returned {graded!r:.{SHOWN_GRADE_CHARS}}: return a score, (score, lines) "
            "or (score, lines, metrics)"
        )
        raise TypeError(msg)

    _check_scale(score, grader, scale)
    is_best = score >= scale.highest
    reasons = () if is_best else tuple(map(str, lines))
    figures = {str(name): float(figure) for name, figure in metrics.items()}
    return Grade(float(score), reasons, figures)


def _check_scale(score: float | None, grader: str, scale: ScoreScale) -> None:
    """Raise `ValueError` for a score outside of the scale. `grader` begins the message."""
    if score is None or scale.lowest <= score <= scale.highest:
        return
    msg = (
        f"{grader} returned the score {score!r:.{SHOWN_GRADE_CHARS}}, outside the scale from "
        f"{scale.lowest:g} to {scale.highest:g}: declare another as `scale = (LOWEST, HIGHEST)`"
    )
    raise ValueError(msg)
