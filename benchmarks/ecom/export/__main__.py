"""`python -m benchmarks.ecom.export DIR`: writes tasks of the embedded world as folders of plain files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from benchmarks.ecom.export.exported_task import is_expressible, write_task
from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.tasks.posing import pose_task
from benchmarks.ecom.world.profiles import WorldSettings
from controlplane import BenchmarkError, TaskSelection

USUAL: Final = 10
"""Tasks that are written if none is named: a folder holds the files of about eleven worlds."""


def main(arguments: list[str]) -> int:
    """Write the tasks and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ecom.export", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new or empty folder")
    parser.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="NAME",
        help="a task or a family; the first ten tasks if not given",
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of the run whose worlds are written")
    parser.add_argument("--names", default="mixed", choices=("mixed", "own", "public", "random"))
    parser.add_argument("--wordings", default="unseen", choices=("unseen", "known", "mixed"))
    given = parser.parse_args(arguments)
    if given.folder.exists() and (not given.folder.is_dir() or any(given.folder.iterdir())):
        parser.error(f"{given.folder} is not empty; name a new folder")
    selection = TaskSelection(tuple(given.task))
    try:
        tries = selection.tries(selection.task_ids(EcomBenchmark().describe()))
    except BenchmarkError as unknown:
        parser.error(unknown.message)
    settings, written = WorldSettings(names=given.names, wordings=given.wordings), 0
    for task_id in (each.task_id for each in tries):
        task = pose_task(task_id, TrialId(task_id, 0, given.seed, "", "").world_seed, settings)
        if not is_expressible(task.truth):
            print(f"{task_id} is left out: a simulation scores it, which a folder has none of")
            continue
        write_task(task, given.folder / task_id)
        written += 1
        if not given.task and written == USUAL:
            break
    print(f"{written} tasks in {given.folder}; play them with --benchmark folder:{given.folder}")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
