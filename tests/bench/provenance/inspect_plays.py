"""Plays of AgentDojo's tasks as Inspect has them, another framework for evaluations.

A play is the right calls of a task. They are noted when a run generates the task:

    benchmark = PlayedInspect("banking")
    benchmark.plays            # filled by a run: {"user_task_0": Play([PlayedCall("send_money", ...)])}
    benchmark.reading_tools()  # ["get_balance", ...], for the option `--reads`

Needs the packages `inspect-ai` and `inspect-evals`.
"""

import importlib

from controlplane import BenchmarkContext, TaskEnvironment
from controlplane.benchmarks.inspect.inspect_benchmark import InspectBenchmark
from tests.bench.provenance.plays import Play, PlayedCall, plain

READING_PREFIXES = ("get_", "search_", "list_", "read_", "check_", "day", "next_id")
"""How the names of tools begin that only read."""


class PlayedInspect(InspectBenchmark):
    """A suite of AgentDojo without injections, which notes the play of each task that it generates."""

    def __init__(self, suite: str) -> None:
        self.plays: dict[str, Play] = {}
        arguments = f"with_injections=false,with_sandbox_tasks=no,workspace={suite}"
        file = importlib.import_module("inspect_evals.agentdojo.agentdojo").__file__
        super().__init__(f"{file}@agentdojo", {"args": arguments}, BenchmarkContext())

    def reading_tools(self) -> list[str]:
        """Return the names of the tools that only read."""
        _, environment = self.generate(self.task_ids()[0])
        names = []
        for declared in environment._tools.by_name.values():
            if declared.tool.name.startswith(READING_PREFIXES):
                names.append(declared.tool.name)
        return names

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        instruction, environment = super().generate(task_id)
        metadata = environment.state.task_state.metadata
        user_task = metadata["user_task"]
        calls = []
        for call in user_task.ground_truth(metadata["pre_environment"]):
            calls.append(PlayedCall(call.function, plain(call.arguments)))
        self.plays[task_id] = Play(calls, user_task.GROUND_TRUTH_OUTPUT)
        return instruction, environment
