"""Writes the page of results, docs/results.md, anew, without a network.

    python -m tests.bench.results [--limit 20]

The page has three tables: how many right plays of public benchmarks this product spoils
(`right_plays.py`), what a recorded model scores with gates (checks of answers) and without, and
what a trial costs here and in AgentDojo's own runner. The costs are measured first, alone. It takes
about 25 minutes of CPU time, most of it for loading and comparing tau2's databases.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import controlplane
from controlplane.score_statistics import mean_interval
from tests.bench.truths.right_plays import right_plays_table
from tests.bench.truths.runner_costs import cost_table
from tests.bench.truths.truth_suites import ALL_TASKS, RETAIL_TASKS, silence_tau2

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
