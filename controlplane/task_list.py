"""Tasks as data, and the benchmark that a list of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from controlplane.agent.model import Model
from controlplane.function_tool import Tool
from controlplane.local_benchmark import Grade
from controlplane.task_environment import TaskEnvironment
from controlplane.tool_benchmark import UNIT_SCALE, Citations, Graded, ToolBenchmark


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

    def __init__(
        self,
        tasks: Iterable[Task],
        *,
        citations: Citations = "asked",
        player: Model | None = None,
        scale: tuple[float, float] = UNIT_SCALE,
    ) -> None:
        """Raises `TypeError` for something that is not a task."""
        super().__init__()
        self.citations = citations
        self.scale = scale
        self.has_scores = False
        self._player = player
        self._ids: list[str] = []
        self._tasks: dict[str, Task] = {}
        for task in tasks:
            if not isinstance(task, Task):
                msg = f"a controlplane.Task is needed, not {task!r:.200}"
                raise TypeError(msg)
            self._ids.append(task.task_id)
            self._tasks[task.task_id] = task
            if task.grade is not None:
                self.has_scores = True

    def task_ids(self) -> Sequence[str]:
        """Return the ids in the order in which the tasks were given."""
        return self._ids

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction and a new environment."""
        task = self._tasks[task_id]
        if task.environment is not None:
            return task.instruction, task.environment()
        environment = TaskEnvironment(
            task.tools, files=task.files, policy=task.policy, clock=task.clock
        )
        return task.instruction, environment

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
