"""Benchmarks written as three functions (which tasks, how one is generated, how its end is graded), and tasks as
data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, ClassVar, Literal, TypeAlias

from agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    Description,
    OpenedBenchmark,
    TaskStub,
    TaskTry,
    Trial,
)
from controlplane.tasks.local_benchmark import GeneratedTrial, Grade, LocalBenchmark
from controlplane.tasks.task_environment import TaskEnvironment
from controlplane.tasks.tool import Tool, plain_name
from sandbox.interface import error_codes

Citations: TypeAlias = Literal["asked", "none"]
Graded: TypeAlias = "Grade | float | tuple[float, Iterable[str]] | tuple[float, Iterable[str], Mapping[str, float]]"
"""A score from 0 to 1 (or True, False), with the lines that say why it is not 1, and with further metrics by name."""


class ToolBenchmark(ABC):
    """A benchmark as three methods; everything else of a run is the control plane's.

    A module offers it as `open_benchmark = MyBenchmark`. Its worlds are Python objects of this process: they are made
    anew to fork a trial, and to resume one by repeating its calls.
    """

    def __init_subclass__(cls) -> None:
        if "pose" in vars(cls):  # what `generate` was called in earlier versions
            type.__setattr__(cls, "generate", vars(cls)["pose"])

    name: ClassVar[str] = ""
    """The name in journals; the class's own in lower case if empty."""
    summary: ClassVar[str] = ""
    """One line for lists of benchmarks."""
    citations: Citations = "asked"
    """`none` where it has no documents: prompt and gates then leave citations out, and an answer may be empty."""
    repeats_all_calls: bool = True
    """A resumed trial repeats all calls of its tools, as a grader of traces needs; else only those that act."""
    has_scores: bool = True
    """False if nothing is graded."""

    def __init__(
        self, argument: str = "", settings: Mapping[str, str] | None = None, context: BenchmarkContext | None = None
    ) -> None:
        """`argument` is what follows the colon of `--benchmark NAME:ARGUMENT`, `settings` the options of `--set`."""
        self.argument = argument
        self.settings = settings or {}
        self.context = context or BenchmarkContext()

    @abstractmethod
    def task_ids(self) -> Sequence[str]:
        """Return the ids of all tasks, each a name or `FAMILY.NAME`."""

    @abstractmethod
    def generate(self, task_id: str) -> tuple[str, Any]:
        """Return the instruction of a task and a new `TaskEnvironment`, which no other trial has used."""

    @abstractmethod
    def grade(self, task_id: str, environment: Any) -> Graded:
        """Return the score of a trial that has ended in this environment, from 0 to 1, alone or with lines that say why
        it is not 1, and with further metrics by name."""

    def preview(self, task_id: str) -> str:
        """Return the beginning of a task's instruction, for lists; empty unless it is known without generating the
        task."""
        return ""

    def player(self) -> Model | None:
        """Return a model that plays if none is named; None for a benchmark without one."""
        return None

    def close(self) -> None:
        """Release what it holds; called when its run is over."""
        return

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it. Raises `BenchmarkError` for a tool that declares no effect."""
        runs = _Runs(self)
        for task_id in islice(runs.task_ids, 1):
            runs.generate(runs.trial_id(TaskTry(task_id, 0), 0, "0" * 8))
        return OpenedBenchmark(runs, ended_elsewhere=runs.take_score, rebuilds_trials=True)


class _Runs(LocalBenchmark):
    """The lifecycle of the runs of a `ToolBenchmark`."""

    def __init__(self, tasks: ToolBenchmark) -> None:
        name = tasks.name or type(tasks).__name__
        ids = list(tasks.task_ids())
        if repeated := next((one for one in ids if ids.count(one) > 1), None):
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, f"{name} lists the task {repeated!r} twice")
        super().__init__(
            "-".join(filter(None, plain_name(name.lower()).split("_"))),
            dict.fromkeys(ids),
            has_scores=tasks.has_scores,
        )
        self._tasks = tasks

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks, with what their benchmark says about them."""
        stubs = tuple(TaskStub(task_id, self._tasks.preview(task_id)) for task_id in self.task_ids)
        return Description(self.name, self._tasks.summary or f"{len(stubs)} tasks", stubs)

    def player(self) -> Model | None:
        """Return the benchmark's own player."""
        return self._tasks.player()

    def close(self) -> None:
        """Release the trials that are open, and what the benchmark holds."""
        super().close()
        self._tasks.close()

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Make a trial's world. Raises `BenchmarkError` for an id that is not a trial's, and for a tool that declares
        no effect."""
        task_id = self.task_of(trial_id)
        instruction, given = self._tasks.generate(task_id)
        environment: Any = given  # what is not a `TaskEnvironment` may be any environment
        if isinstance(given, TaskEnvironment):
            environment = given.runtime
            environment.tool_schema = replace(environment.tool_schema, citations=self._tasks.citations)
        if undeclared := environment.tool_schema.undeclared:
            msg = (
                f"what calls of {', '.join(undeclared)[:300]} do is not declared: say effect='returns' of those that "
                "only read, and 'acts' of those that may change something (a call that acts is recorded before it is "
                "made, and never repeated unasked)"
            )
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        use_worker, repeats_all = getattr(environment, "use_worker", None), self._tasks.repeats_all_calls
        return GeneratedTrial(
            Trial(trial_id, task_id, instruction, environment, use_worker, repeats_all_calls=repeats_all),
            lambda: grade_of(self._tasks.grade(task_id, given), f"the grader of {task_id}"),
            getattr(environment, "close", lambda: None),
        )


def grade_of(given: Graded, grader: str) -> Grade:
    """Return what a grader returned as a grade, without lines if it is right. Raises `TypeError` for anything else."""
    score, lines, metrics = given if isinstance(given, tuple) and len(given) == 3 else (given, (), {})
    if isinstance(given, tuple) and len(given) == 2:
        score, lines = given
    if isinstance(score, Grade):
        return score
    if isinstance(score, int | float) and not isinstance(lines, str) and isinstance(metrics, Mapping):
        why = tuple(map(str, lines)) if score < 1 else ()
        return Grade(float(score), why, {str(name): float(one) for name, one in metrics.items()})
    msg = f"{grader} returned {given!r:.200}: return a score from 0 to 1, (score, lines) or (score, lines, metrics)"
    raise TypeError(msg)


@dataclass(frozen=True, slots=True)
class Task:
    """One task as data, to be played by `controlplane.run`."""

    task_id: str
    """A name, or `FAMILY.NAME`."""
    instruction: str
    """The request."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts that its scripts see, by absolute path."""
    tools: Sequence[Tool] = ()
    """The functions that its scripts call. Where they keep state, give `environment` instead."""
    policy: str = ""
    """A text that the first message shows and that the answer has to follow."""
    clock: datetime | None = None
    """The time that its scripts see; None: they have none."""
    grade: Callable[[TaskEnvironment], Graded] | None = None
    """Grades how a trial ended, see `ToolBenchmark.grade`; None: nothing is scored."""
    environment: Callable[[], TaskEnvironment] | None = None
    """Makes the environment of one trial, in place of files, tools, policy and clock."""


class TaskList(ToolBenchmark):
    """Tasks given as data."""

    name = "tasks"

    def __init__(self, tasks: Iterable[Task], *, citations: Citations = "asked", player: Model | None = None) -> None:
        """Raises `TypeError` for something that is not a task."""
        super().__init__()
        self.citations = citations
        self._player = player
        given = list(tasks)
        if (wrong := next((one for one in given if not isinstance(one, Task)), None)) is not None:
            msg = f"a controlplane.Task is needed, not {wrong!r:.200}"
            raise TypeError(msg)
        self._ids = [task.task_id for task in given]
        self._tasks = {task.task_id: task for task in given}
        self.has_scores = any(task.grade for task in given)

    def task_ids(self) -> Sequence[str]:
        """Return the ids in the order in which the tasks were given."""
        return self._ids

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction and a new environment."""
        task = self._tasks[task_id]
        if task.environment is not None:
            return task.instruction, task.environment()
        made = TaskEnvironment(task.tools, files=task.files, policy=task.policy, clock=task.clock)
        return task.instruction, made

    def grade(self, task_id: str, environment: TaskEnvironment) -> Graded:
        """Return what the task's own grader says; without one, no score."""
        grade = self._tasks[task_id].grade
        return Grade(None) if grade is None else grade(environment)

    def preview(self, task_id: str) -> str:
        """Return the instruction."""
        return self._tasks[task_id].instruction

    def player(self) -> Model | None:
        """Return the model that plays if none is named, if there is one."""
        return self._player
