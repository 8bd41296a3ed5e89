"""`python -m benchmarks.ecom.show --task T --seed N`: prints a task with its truth and its solution."""

from __future__ import annotations

import argparse
import sys

from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.show.shown_task import show_task
from benchmarks.ecom.tasks.posing import is_task_id, pose_task, task_ids
from benchmarks.ecom.world.profiles import WorldSettings
from controlplane import did_you_mean


def main(arguments: list[str]) -> int:
    """Print the task and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ecom.show", description=__doc__)
    parser.add_argument("--task", required=True, help="a task's id, such as stock-count.1")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the run")
    parser.add_argument("--number", type=int, default=0, help="which try of the task, from 0")
    parser.add_argument("--profile", default="prod", choices=("prod", "dev", "hard"))
    parser.add_argument("--names", default="mixed", choices=("mixed", "own", "public", "random"))
    parser.add_argument("--wordings", default="unseen", choices=("unseen", "known", "mixed"))
    given = parser.parse_args(arguments)
    if not is_task_id(given.task):
        parser.error(f"there is no task {given.task!r}{did_you_mean(given.task, task_ids(), most=5)}")
    seed = TrialId(given.task, given.number, given.seed, given.profile, "").world_seed
    print(show_task(pose_task(given.task, seed, WorldSettings(given.profile, given.names, given.wordings))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
