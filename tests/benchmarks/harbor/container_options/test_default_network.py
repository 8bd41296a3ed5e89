"""A container of a task has no network by default, and the run says which tasks want one.

A task is played in a container of its own. The model "nothing" ends the trial at once, and then
the verifier, a script in the container, gives the score.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import run_tasks, write_task

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_the_network_is_off_by_default_and_the_run_says_how_many_tasks_want_one(
    tmp_path: Path,
) -> None:
    """This task wants a network, since it does not say otherwise.

    Its verifier gives the score 1 if there is only the loopback device, `lo`.
    """
    verifier = """
if [ "$(ls /sys/class/net)" = lo ]; then
    echo 1 >/logs/verifier/reward.txt
fi
"""
    task = write_task(tmp_path / "task", verifier=verifier)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == 1.0, run.json
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    text = journal.read_text()
    assert "off while agents work, but wanted by 1 task" in text
    message = (
        "off while verifiers run, which may then leave no reward, but wanted by 1 task"
    )
    assert message in text
