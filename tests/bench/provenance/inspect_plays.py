"""Plays of AgentDojo's tasks as Inspect has them, another framework for evaluations.

A play is the right calls of a task. The benchmark notes it each time that it generates the task:

    benchmark = PlayedInspect("banking")
    benchmark.generate("user_task_0")   # as a run does
    benchmark.plays            # {"user_task_0": Play([PlayedCall("send_money", ...)])}
    benchmark.reading_tools()  # ["get_balance", ...], for the option `--reads`

Needs the packages `inspect-ai` and `inspect-evals`.
"""

import importlib

from controlplane import BenchmarkContext, TaskEnvironment
from controlplane.benchmarks.inspect.inspect_benchmark import InspectBenchmark
from tests.bench.provenance.held_calls import Play, PlayedCall, plain

READING_PREFIXES = ("get_", "search_", "list_", "read_", "check_", "day", "next_id")
"""How the names of the suites' tools begin that only read: `get_balance`."""


class PlayedInspect(InspectBenchmark):
    """A suite of AgentDojo without injections, which notes the play of each task that it generates."""

    def __init__(self, suite: str) -> None:
        self.plays: dict[str, Play] = {}
        module = importlib.import_module("inspect_evals.agentdojo.agentdojo")
        # Parameters of Inspect's task `agentdojo`, which calls a suite a workspace.
        arguments = f"with_injections=false,with_sandbox_tasks=no,workspace={suite}"
        super().__init__(
            f"{module.__file__}@agentdojo",  # FILE@TASK
            settings={"args": arguments},
            context=BenchmarkContext(),
        )

    def reading_tools(self) -> list[str]:
        """Return the names of the tools that only read."""
        # All tasks of a suite have the same tools.
        _, environment = self.generate(self.task_ids()[0])
        names = []
        for declared in environment._tools.values():
            if declared.tool.name.startswith(READING_PREFIXES):
                names.append(declared.tool.name)
        return names

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction and the tools of a task, and note its play."""
        instruction, environment = super().generate(task_id)
        # AgentDojo's own task, whose right calls depend on the state before it, such as an account's.
        metadata = environment.state.task_state.metadata
        user_task = metadata["user_task"]
        calls = []
        for call in user_task.ground_truth(metadata["pre_environment"]):
            calls.append(PlayedCall(call.function, plain(call.arguments)))
        self.plays[task_id] = Play(calls, user_task.GROUND_TRUTH_OUTPUT)
        return instruction, environment
