"""Journals of runs of eight tasks with given scores, in the folder `runs`.

    write_run(folder, "before", scores(1, t0=0))

All of its tasks are right but t0.
"""

from pathlib import Path

from tests.support.journals import Scores, scored_journal

TASKS = ("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7")


def scores(score: float | None, **exceptions: float | str) -> Scores:
    """Return the scores of a run of eight tasks: `scores(1, t0=0)` has only t0 wrong."""
    return {task: [exceptions.get(task, score)] for task in TASKS}


def write_run(folder: Path, name: str, scores: Scores, parent: str = "") -> None:
    """Write the journal of a run with these scores; with a `parent`, it is a rerun of that run."""
    (folder / "runs").mkdir(exist_ok=True)
    scored_journal(folder / f"runs/{name}.jsonl", scores, parent=parent)
