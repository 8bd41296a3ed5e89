"""What a trial of AgentDojo costs here, and in AgentDojo's own runner, as lines of a table.

Both make the same calls and give the same answers, without a model.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass

import controlplane
from controlplane import RunReport


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


@dataclass(frozen=True, slots=True)
class Cost:
    """What playing AgentDojo's tasks costs one runner, in all."""

    plays: int
    cpu_s: float
    wall_s: float


def cost_of(play: Callable[[], int]) -> Cost:
    """Measure a function that plays tasks and returns how many it played."""
    cpu_before_s = cpu_seconds()
    started_s = time.perf_counter()
    plays = play()
    return Cost(
        plays=plays,
        cpu_s=cpu_seconds() - cpu_before_s,
        wall_s=time.perf_counter() - started_s,
    )


def cost_table(limit: int, runs_dir: str) -> list[str]:
    """Return the lines of a table with the cost of a trial here and in AgentDojo's own runner.

    Both make the same calls and give the same answers. Empty if AgentDojo is not installed.
    """
    try:
        from docs.examples.agentdojo import AgentDojo
        from tests.support.agentdojo_pipeline import TruthPipeline
    except ImportError:
        return []
    benchmark = AgentDojo("", {}, None)
    task_ids = list(benchmark.task_ids())[:limit]

    def play_ours(isolation: str) -> int:
        run: RunReport = controlplane.run(
            benchmark, *task_ids, runs_dir=runs_dir, isolation=isolation, concurrency=1
        )
        return len(run.trials)

    def play_theirs() -> int:
        for task_id in task_ids:
            # A pipeline is what plays a task in AgentDojo: here, one that plays its ground truth.
            parts = benchmark.parts(task_id)
            pipeline = TruthPipeline(benchmark.truth(task_id))
            parts.suite.run_task_with_pipeline(pipeline, parts.user_task, None, {})
        return len(task_ids)

    return [
        "| one trial of AgentDojo, without a model | CPU | elapsed |",
        "|---|---|---|",
        cost_line(
            "AgentDojo's own runner: calls and grading alone", cost_of(play_theirs)
        ),
        cost_line(
            "ours, scripts in a process without isolation",
            cost_of(lambda: play_ours("none")),
        ),
        cost_line(
            "ours, scripts isolated in all layers, the default",
            cost_of(lambda: play_ours("all")),
        ),
    ]


def cost_line(title: str, cost: Cost) -> str:
    """Return a line with the cost of one play."""
    cpu_ms = 1_000 * cost.cpu_s / cost.plays
    wall_ms = 1_000 * cost.wall_s / cost.plays
    return f"| {title} | {cpu_ms:.0f} ms | {wall_ms:.0f} ms |"
