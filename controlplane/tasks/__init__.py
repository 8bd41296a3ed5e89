"""Tasks in Python: their environments, the benchmarks that pose and grade them, the lifecycle of their runs."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from controlplane.tasks.local_benchmark import (
        FAILED_PRECONDITION,
        NOT_FOUND,
        Grade,
        LocalBenchmark,
        PosedTrial,
    )
    from controlplane.tasks.local_environment import GivenAnswer, LocalEnvironment
    from controlplane.tasks.task_environment import EnvironmentCall, TaskEnvironment
    from controlplane.tasks.tool import Tool
    from controlplane.tasks.tool_benchmark import Task, TaskList, ToolBenchmark

__getattr__ = agent.lazy_face(__name__, __file__)
