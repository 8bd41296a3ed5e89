"""The verifiers of the eight tasks in `tasks` tell a right solution from none.

A task is played in a container, and its verifier, a script, gives the score at the end. The model
"solution" runs the task's own solution, and the model "nothing" does nothing.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import TASKS, run_tasks
from tests.benchmarks.harbor.trial_containers import container_states
from tests.support.command import run_controlplane

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_the_reference_solution_of_every_task_gets_the_full_score(
    tmp_path: Path,
) -> None:
    """No container is left. A replay needs none, so it has no PATH to podman."""
    run = run_tasks(TASKS, "solution", tmp_path)

    assert run.code == 0, run.err
    scores = [trial["score"] for trial in run.json["trials"]]
    assert scores == [1.0] * 8
    # The verifier of the task csv-pipeline also counts the rows of a table.
    assert run.json["metrics"]["rows"] == 4
    for trial in run.json["trials"]:
        assert container_states(trial["trial_id"]) == {}
    replayed = run_controlplane(
        "replay", "last", "--verify", cwd=tmp_path, PATH="/nonexistent"
    )
    assert replayed.code == 0, replayed.err


def test_doing_nothing_gets_the_score_0_in_every_task(tmp_path: Path) -> None:
    run = run_tasks(TASKS, "nothing", tmp_path)

    scores = [trial["score"] for trial in run.json["trials"]]
    assert scores == [0.0] * 8, run.err
