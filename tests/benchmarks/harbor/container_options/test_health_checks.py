"""A container is used once its health check, a command of the task, succeeds.

A task is played in a container of its own. Its file `task.toml` may have a command that succeeds
once the container is ready, and that is repeated until then. The model "nothing" ends the trial
at once; the verifier then gives the score 1.
"""

import json
from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import run_tasks, write_task

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def write_task_with_health_check(folder: Path, command: str) -> Path:
    """Write a task whose container is ready once this command succeeds, and return its folder.

    The command is repeated without a pause.
    """
    toml = f"""
[environment.healthcheck]
command = {json.dumps(command)}
interval_sec = 0
"""
    return write_task(folder, toml=toml)


def test_a_container_is_used_once_its_health_check_succeeds(tmp_path: Path) -> None:
    """The check fails the first time, because a file is missing, which it makes."""
    fails_the_first_time = "[ -e /tmp/first ] && exit 0; touch /tmp/first; exit 1"
    task = write_task_with_health_check(tmp_path / "task", fails_the_first_time)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == 1.0, run.json


def test_a_trial_fails_if_the_health_check_of_its_container_never_succeeds(
    tmp_path: Path,
) -> None:
    always_fails = "echo the service is down; exit 1"
    task = write_task_with_health_check(tmp_path / "task", always_fails)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["state"] == "failed"
    assert "the service is down" in run.json["trials"][0]["reason"]
