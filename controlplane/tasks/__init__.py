"""Tasks in Python: their environments, the benchmarks that generate and grade them, the lifecycle of their runs."""

from controlplane.tasks.local_benchmark import GeneratedTrial, Grade, LocalBenchmark
from controlplane.tasks.local_environment import GivenAnswer, LocalEnvironment
from controlplane.tasks.task_environment import EnvironmentCall, TaskEnvironment
from controlplane.tasks.tool import Tool, plain_name, script_name
from controlplane.tasks.tool_benchmark import Task, TaskList, ToolBenchmark, grade_of
