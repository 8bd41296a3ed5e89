"""Writes the page of results, docs/results.md, anew, without a network.

    python -m tests.bench.results [--limit 20]

The page has four tables that are measured, and one of what claims to help: how many right plays of public benchmarks this product spoils
(`right_plays.py`), what a recorded model scores with gates (checks of answers) and without, what
first messages show, and what a trial costs here and in AgentDojo's own runner. The costs are measured first, alone. It takes
about 25 minutes of CPU time, most of it for loading and comparing tau2's databases.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import warnings
from datetime import UTC, datetime
from typing import Final

import controlplane
from controlplane.score_statistics import mean_interval
from tests.bench.prompts.opened_messages import messages_of_tasks, recall_table
from tests.bench.truths.results_page import PAGE, PAGE_TEMPLATE
from tests.bench.truths.right_plays import (
    ALL_TASKS,
    RETAIL_TASKS,
    cost_table,
    right_plays_table,
    silence_tau2,
)


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


MESSAGE_SEED: Final = 9101
MESSAGE_WORLDS: Final = 4
MESSAGE_TASKS: Final = 50
"""The worlds and tasks whose first messages are measured."""


def first_messages_table() -> list[str]:
    """Return the lines of the table of what first messages show."""
    seeds = range(MESSAGE_SEED, MESSAGE_SEED + MESSAGE_WORLDS)
    messages = messages_of_tasks(MESSAGE_TASKS, seeds, ["prod", "dev", "hard"])
    return recall_table(messages)


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
        first_messages="\n".join(first_messages_table()),
        message_tasks=MESSAGE_TASKS,
        message_worlds=MESSAGE_WORLDS,
        message_command=(
            f"python -m tests.bench.initial_prompt --table --seed {MESSAGE_SEED} "
            f"--worlds {MESSAGE_WORLDS} --tasks {MESSAGE_TASKS}"
        ),
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
