"""The runs and trials of a benchmark that is written as three methods.

Such a benchmark (`ToolBenchmark`) lists its tasks, generates the world of one, and grades
how it ended. It knows nothing of runs. This module gives its trials ids and seeds, keeps
them while they are open, and returns their scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from controlplane.agent.evidence import Environment
from controlplane.agent.model import Model
from controlplane.benchmark import BenchmarkError, Description, ListedTask, Trial
from controlplane.local_benchmark.generated_trial import GeneratedTrial, Grade
from controlplane.local_benchmark.local_benchmark import LocalBenchmark
from controlplane.sandbox.interface import error_codes
from controlplane.score_scale import ScoreScale
from controlplane.tool_benchmark.graded import grade_of
from controlplane.tool_benchmark.task_environment import TaskEnvironment
from controlplane.tools.script_names import plain_name

if TYPE_CHECKING:
    from controlplane.tool_benchmark.tool_benchmark import ToolBenchmark

SHOWN_NAMES_CHARS: Final = 300


class ToolBenchmarkRuns(LocalBenchmark):
    """Makes a full benchmark, with runs and trials, of the methods of a `ToolBenchmark`.

    The base class keeps the open trials and their ids. For each trial, this class asks the
    `ToolBenchmark` for a world (`generate`), in which the trial's scripts then work, and at the
    end for a grade of this world (`grade`).
    """

    def __init__(self, benchmark: ToolBenchmark, scale: ScoreScale) -> None:
        """Play the tasks of `benchmark`, scored on this scale. Raises `BenchmarkError` if it lists one twice."""
        name = benchmark.name or type(benchmark).__name__
        task_ids = tuple(benchmark.task_ids())
        _check_distinct(task_ids, name)
        super().__init__(
            _name_in_ids(name),
            dict.fromkeys(task_ids),  # It is fast to look up, and keeps the order.
            has_scores=benchmark.has_scores,
        )
        self._benchmark = benchmark
        self._scale = scale

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks with their previews, which are the same for every seed."""
        listed_tasks = tuple(
            ListedTask(task_id, self._benchmark.preview(task_id))
            for task_id in self.task_ids
        )
        return Description(
            self.name,
            self._benchmark.summary or f"{len(listed_tasks)} tasks",
            listed_tasks,
        )

    def player(self) -> Model | None:
        """Return the benchmark's own player."""
        return self._benchmark.player()

    def close(self) -> None:
        """Release the open trials and the benchmark."""
        super().close()
        self._benchmark.close()

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Create the world of a trial.

        Raises `BenchmarkError` for an id that is not a trial's, and for a tool that
        declares no effect.
        """
        task_id, _ = self.parts_of(trial_id)
        instruction, world = self._benchmark.generate(task_id)
        environment = self._prepared_environment(world)
        _check_effects(environment.tool_schema.undeclared)

        def grade() -> Grade:
            graded = self._benchmark.grade(task_id, world)
            return grade_of(graded, "the grader", self._scale)

        trial = Trial(
            trial_id,
            task_id,
            instruction,
            environment,
            # The method that takes the worker process for the tools' work, if there is one: an
            # environment of the benchmark's own class needs none.
            use_worker=getattr(environment, "use_worker", None),
            repeats_all_calls=self._benchmark.repeats_all_calls,
        )
        return GeneratedTrial(trial, grade)

    def _prepared_environment(
        self, world: TaskEnvironment | Environment
    ) -> Environment:
        """Return the environment of a trial's world, in which scripts make their calls.

        Most benchmarks generate a `TaskEnvironment`: Python functions as tools, whose `runtime`
        is the environment. The benchmark declares once, for all worlds, whether answers have to
        cite; this is set here. A benchmark may also return an environment of its own class.
        """
        if not isinstance(world, TaskEnvironment):
            return world
        runtime = world.runtime
        runtime.tool_schema = replace(
            runtime.tool_schema, citations=self._benchmark.citations
        )
        return runtime


def _check_distinct(task_ids: Iterable[str], name: str) -> None:
    """Raise `BenchmarkError` if the benchmark called `name` lists a task twice."""
    known: set[str] = set()
    for task_id in task_ids:
        if task_id in known:
            msg = f"{name} lists the task {task_id!r} twice"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        known.add(task_id)


def _name_in_ids(name: str) -> str:
    """Return a benchmark's name as ids of runs contain it: `My_Tasks` -> `my-tasks`."""
    words = plain_name(name.lower()).split("_")
    return "-".join(word for word in words if word)


def _check_effects(undeclared_tools: Iterable[str]) -> None:
    """Raise `BenchmarkError` if there are tools without a declared effect, such as `Tool(pay)`."""
    names = ", ".join(undeclared_tools)[:SHOWN_NAMES_CHARS]
    if names:
        # A call that may change something is recorded before it is made. So the effect of
        # every tool has to be known.
        msg = (
            f"what calls of {names} do is not declared: say effect='returns' of those that "
            "only read, and 'acts' of those that may change something (a call that acts is "
            "recorded before it is made, and never repeated unasked)"
        )
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
