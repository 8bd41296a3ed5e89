"""A run that is killed, and then resumed, gets the scores of an undisturbed one.

A run writes what happens to its journal at once, so that `resume` continues from there. `replay
--verify` then runs all scripts of the model again, and shows that they give the recorded outputs.
"""

import random
from pathlib import Path

import pytest

from tests.controlplane.accidents.killed_runs.killed_processes import (
    kill_run,
    scores_by_task,
)
from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("short_backoff")


def check_killed_and_resumed_run(
    folder: Path, *run_command: str, kill_after_s: float
) -> None:
    """Play a run undisturbed; start it again, kill it, and resume it. Assert equal scores.

    The kill comes `kill_after_s` after the journal has the start of the run.
    """
    undisturbed = run_in_process(*run_command, "--json", cwd=folder)
    # Out of the way, so that "last" means the run that is killed.
    (folder / "runs").rename(folder / "undisturbed")

    kill_run(folder, *run_command, kill_after_s=kill_after_s)
    resumed = run_in_process("resume", "last", "--json", cwd=folder)

    assert resumed.code == undisturbed.code
    recorded = run_in_process("show", "last", "--json", cwd=folder)
    assert scores_by_task(recorded) == scores_by_task(undisturbed)
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


def test_a_killed_run_resumes_to_the_scores_of_an_undisturbed_one(
    tmp_path: Path, heavy: bool
) -> None:
    """The run plays tasks of the default benchmark with its own player. The moment of the kill
    is random. The heavy form kills 40 runs of 24 tasks."""
    random_numbers = random.Random(5)
    task_count = 24 if heavy else 5

    for seed in range(40 if heavy else 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        run_command = f"run --quiet --concurrency 4 --limit {task_count} --seed {seed}"
        check_killed_and_resumed_run(
            folder, *run_command.split(), kill_after_s=random_numbers.uniform(0.1, 1.0)
        )
