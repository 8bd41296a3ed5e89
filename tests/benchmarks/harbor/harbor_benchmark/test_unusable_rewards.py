"""A verifier may leave what is no score, or be ended by its time limit: then its trial has none.

The other trials of the run keep theirs, and the run is submitted.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import FULL_REWARD, run_tasks, write_task

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_what_is_no_reward_gives_no_score_and_stops_nothing(tmp_path: Path) -> None:
    """One verifier leaves the full reward and then sleeps until it is ended."""
    tasks = tmp_path / "tasks"
    write_task(tasks / "good")
    write_task(
        tasks / "late",
        toml="[verifier]\ntimeout_sec = 1\n",
        verifier=f"{FULL_REWARD}sleep 3600\n",
    )
    write_task(tasks / "high", verifier="echo 2 >/logs/verifier/reward.txt\n")

    run = run_tasks(tasks, "nothing", tmp_path)

    late_reason = (
        "the verifier was ended after 1 s: a reward that it left does not count"
    )
    assert {trial["task_id"]: trial["score"] for trial in run.json["trials"]} == {
        "good": 1.0,
        "late": None,
        "high": None,
    }
    assert run.json["unscored"] == {
        late_reason: 1,
        "the score 2 is not from 0 to 1": 1,
    }
    assert run.json["submitted"]
    assert run.code == 0


def test_another_scale_takes_any_finite_reward(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", verifier="echo -5 >/logs/verifier/reward.txt")

    run = run_tasks(task, "nothing", tmp_path, "--set", "scale=any")

    assert run.json["trials"][0]["score"] == -5.0
    assert run.json["scale"] == [None, None]
