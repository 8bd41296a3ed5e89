"""The sample of tasks in the documentation: commands play, replay and grade it without a fault.

The benchmark `folder` has tasks that somebody writes as `task.toml` files. A model's replies come
from the file `library.toml` beside the folder `library`.
"""

from pathlib import Path

import pytest

from tests.support.command import ROOT, run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_the_sample_tasks_are_played_replayed_and_graded_again(tmp_path: Path) -> None:
    """The sample of the documentation has three tasks, which replies in a file beside it solve.

    `replay --verify` runs the recorded scripts again, and `judge --grader` the graders.
    """
    library = ROOT / "docs/examples/library"
    run = run_in_process(
        "run",
        f"--benchmark=folder:{library}",
        f"--model=scripted:{library}.toml",
        "--repeats=2",
        "--json",
        cwd=tmp_path,
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    judge = run_in_process("judge", "last", "--grader", cwd=tmp_path)

    assert run.code == 0, run.err
    assert run.json["score"] == 1.0
    assert len(run.json["trials"]) == 6  # each of three tasks twice
    assert replay.code == 0
    assert "6 trials graded again, 0 changed" in judge.out
