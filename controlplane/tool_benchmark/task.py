"""A task as data: what an agent is asked, what it can use, and how its work is graded.

`Task("sum", "Add 2 and 3.", grade=lambda environment: environment.answer == "5")`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from controlplane.tool_benchmark.task_environment import TaskEnvironment
from controlplane.tool_benchmark.tool_benchmark import (
    Graded,
)
from controlplane.tools.function_tool import Tool


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
