"""What a trial of AgentDojo costs here, and in AgentDojo's own runner, as lines of a table.

Both make the same calls and give the same answers, without a model.
"""

from __future__ import annotations

import controlplane
from controlplane import RunReport
from tests.bench.truths.play_costs import Cost, cost_of


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
