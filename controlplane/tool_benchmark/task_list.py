"""A benchmark that consists of a list of tasks, for programs that need no class of their own.

`controlplane.run([Task("sum", "Add 2 and 3.", grade=...)])` makes one of its tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from controlplane.agent.model import Model
from controlplane.local_benchmark.local_benchmark import Grade
from controlplane.sandbox.interface.outcomes import Outcomes
from controlplane.score_scale import UNIT_SCALE
from controlplane.tool_benchmark.graded import Graded
from controlplane.tool_benchmark.task_environment import TaskEnvironment
from controlplane.tool_benchmark.tool_benchmark import Citations, ToolBenchmark
from controlplane.tools.function_tool import Tool

# A task as data: what an agent is asked, what it can use, and how its work is graded.
#
# `Task("sum", "Add 2 and 3.", grade=lambda environment: environment.answer == "5")`


@dataclass(frozen=True, slots=True)
class Task:
    """A task as data, for `controlplane.run` to play."""

    task_id: str
    """A name, or `FAMILY.NAME`."""
    instruction: str
    """The request to the agent."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts that scripts see, by absolute path."""
    tools: Sequence[Tool] = ()
    """The functions that scripts call. If they keep state, use `environment` instead."""
    policy: str = ""
    """A text that the first message shows and that the answer has to follow."""
    clock: datetime | None = None
    """The time that scripts see; None for no clock."""
    grade: Callable[[TaskEnvironment], Graded] | None = None
    """Grades how a trial ended, as `ToolBenchmark.grade` does. None: the task has no score."""
    environment: Callable[[], TaskEnvironment] | None = None
    """Creates the environment of a trial, in place of files, tools, policy and clock."""


_UNGRADED: Final = "its task has no grader"


class TaskList(ToolBenchmark):
    """A benchmark whose tasks are given as data."""

    name = "tasks"

    def __init__(
        self,
        tasks: Iterable[Task],
        *,
        citations: Citations = "asked",
        player: Model | None = None,
        scale: tuple[float, float] = UNIT_SCALE,
        outcomes: Outcomes | None = None,
    ) -> None:
        """Create the benchmark. Raises `TypeError` for an object that is not a task.

        - `citations`: `none` if answers name no documents.
        - `player`: a model that plays if the user names none.
        - `scale`: the lowest and the highest score.
        - `outcomes`: how a trial may end. None: the general outcomes, or those of the platform if a
          task or its grader names one that only the platform has.
        """
        super().__init__()
        self.citations = citations
        self.scale = scale
        self.outcomes = outcomes
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
        """Return the instruction of a task and a new environment."""
        task = self._tasks[task_id]
        if task.environment is not None:
            return task.instruction, task.environment()
        environment = TaskEnvironment(
            task.tools, files=task.files, policy=task.policy, clock=task.clock
        )
        return task.instruction, environment

    def grade(self, task_id: str, environment: TaskEnvironment) -> Graded:
        """Return the result of the task's own grader; no score if the task has none."""
        grade = self._tasks[task_id].grade
        return Grade(None, (_UNGRADED,)) if grade is None else grade(environment)

    def preview(self, task_id: str) -> str:
        """Return the instruction."""
        return self._tasks[task_id].instruction

    def player(self) -> Model | None:
        """Return the model that plays if the user names none; None without one."""
        return self._player
