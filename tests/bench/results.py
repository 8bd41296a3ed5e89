"""Writes the page of results, docs/results.md, anew, without a network.

    python -m tests.bench.results [--limit 20]

The page has three tables: how many right plays of public benchmarks this product spoils
(`right_plays.py`), what a recorded model scores with gates (checks of answers) and without, and
what a trial costs here and in AgentDojo's own runner.
"""

# The costs are measured first, alone; then the right plays are shared out among a process for each
# core. It takes about 25 minutes of CPU time, most of it for loading and comparing tau2's databases.

from __future__ import annotations

import argparse
import os
import platform
import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import controlplane
from controlplane import RunReport
from controlplane.score_statistics import mean_interval
from tests.bench.right_plays import (
    ALL_TASKS,
    RETAIL_TASKS,
    right_plays_table,
    silence_tau2,
)

PAGE: Final = Path(__file__).parents[2] / "docs" / "results.md"


def recorded_table(runs_dir: str) -> list[str]:
    """Return the lines of the table of a recorded model on the embedded benchmark."""
    lines = [
        "| recorded model on `ecom` | tasks | mean score, with its 95 % interval |",
        "|---|---|---|",
    ]
    for gates, title in (("all", "with gates"), ("none", "without gates")):
        run = controlplane.run("ecom", model="recorded", gates=gates, runs_dir=runs_dir)
        scores = [trial.score for trial in run.trials if trial.score is not None]
        lines.append(f"| {title} | {len(scores)} | {mean_interval(scores)} |")
    return lines


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


PAGE_TEMPLATE: Final = """# Results

Made on {date} by `python -m tests.bench.results{options}` (Python {python}, {cores} cores, load average
{load:.0f}), without a network; the command writes this page anew.

## Right plays of other people's benchmarks

A *right play* makes the calls of a task's ground truth, which the benchmark's authors call right. The benchmark's own grader
grades it. A right play that is lost, or whose answer is sent back, is a fault of this product. Each benchmark is played through
its file in [examples](examples), with three policies for calls whose arguments come from untrusted text (`--provenance`): with
`off`, they are sent; with `ask`, they are held, and sent when they are made again in a later step; with `block`, they are never
sent, so that a task that needs one is lost. [provenance.md](provenance.md#measured) says which values are held, and what the
policies stop. The one play of BFCL that is lost under every policy is a fault of its data: task 49 of `miss_func` calls `tail`
one turn before the function is offered.
tau2's retail has 114 tasks; {retail_tasks} of them are played here, to keep the command below 40 minutes.

A script's `verify` has 5 s. If many more processes than cores are running, some answers are sent back because it took
longer; they are accepted when the player gives them again.

{right_plays}

## The embedded benchmark, with gates and without

{recorded}

The interval is over tasks. The replies are those of one strong model, recorded once at seed 7.

## What a trial costs

{costs}

The same calls and answers, one trial after the other. Ours also asks the player, runs its script, judges calls and answer,
and writes a journal that can be replayed. Elapsed times include waiting for processes, and depend on what else the machine
does.
"""


def page_text(limit: int) -> str:
    """Measure everything and return the page; 0 stands for no limit of tasks."""
    tasks = limit or ALL_TASKS
    with tempfile.TemporaryDirectory() as runs_dir:
        costs = cost_table(tasks, runs_dir) or ["AgentDojo is not installed."]
        recorded = recorded_table(runs_dir)
        right_plays = right_plays_table(tasks, runs_dir)
    return PAGE_TEMPLATE.format(
        date=datetime.now(UTC).date().isoformat(),
        options=f" --limit {limit}" if limit else "",
        python=platform.python_version(),
        cores=os.cpu_count(),
        load=os.getloadavg()[2],
        costs="\n".join(costs),
        recorded="\n".join(recorded),
        retail_tasks=RETAIL_TASKS,
        right_plays="\n".join(right_plays),
    )


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--limit", type=int, default=0, help="the first N tasks of each suite"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    silence_tau2()
    PAGE.write_text(page_text(options.limit), encoding="utf-8")


if __name__ == "__main__":
    main()
