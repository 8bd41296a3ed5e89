"""A fault of one task costs no other task its score.

A task is played in a container of its own, and its verifier, a script, gives the score. The model
"nothing" ends each trial, one try of a task, at once. `RUN false` in the Dockerfile of a task is
a command that fails, so that the task's image cannot be built.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import run_tasks, write_task

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_a_verifier_that_leaves_no_reward_gives_no_score_but_its_last_lines(
    tmp_path: Path,
) -> None:
    """The verifier prints why it fails: it cannot install its packages, say."""
    failing_verifier = "echo no package index; exit 1\n"
    task = write_task(tmp_path / "silent", verifier=failing_verifier)

    run = run_tasks(task, "nothing", tmp_path)

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert "no package index" in trial["details"]


def test_an_image_that_cannot_be_built_costs_only_its_own_task(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks/broken", dockerfile="RUN false\n")
    write_task(tmp_path / "tasks/whole", dockerfile="RUN true\n")

    run = run_tasks(tmp_path / "tasks", "nothing", tmp_path)

    trials = {trial["task_id"]: trial for trial in run.json["trials"]}
    assert trials["whole"]["score"] == 1.0
    assert trials["broken"]["state"] == "failed"
    assert "RUN false" in trials["broken"]["reason"]
