"""A run in which each task of the shop is solved by a right script scores 1.

    harness.read(path='/docs/stock.md')     the script of a task, which the sandbox runs
    scratchpad["answer"] = '4'
    ...

No check before a submission may stop a right answer.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.tasks.generated_tasks import task_ids
from controlplane.benchmarks.ecom.world.names import WorldSettings
from tests.benchmarks.ecom.solutions.reference_scripts import scripted_replies
from tests.benchmarks.ecom.variants import task_in_run
from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


@pytest.mark.parametrize(
    "played_tasks",
    [
        pytest.param(
            (
                "archive-fraud.1",
                "archive-fraud.2",
                "calendar-date.1",
                "discount-grant.1",
                "external-system.1",
                "guest-basket-status.1",
                "origin-fact.1",
                "product-existence.1",
                "receipt-reprice.1",
                "refund-closure.1",
                "staff-count.1",
                "temporary-files.1",
            ),
            id="twelve tasks",
        ),
        pytest.param(task_ids(), id="all tasks", marks=pytest.mark.heavy),
    ],
)
def test_a_run_of_right_scripts_scores_one(
    played_tasks: tuple[str, ...], tmp_path: Path
) -> None:
    """The tasks are solved here, and their scripts written into the file of a scripted model."""
    settings = WorldSettings(wordings="known")
    tasks = {
        task_id: task_in_run(task_id, seed=1, settings=settings)
        for task_id in played_tasks
    }
    (tmp_path / "scripts.toml").write_text(scripted_replies(tasks), encoding="utf-8")

    run = run_in_process(
        "run",
        *played_tasks,
        "--model=scripted:scripts.toml",
        "--seed=1",
        "--set=wordings=known",
        "--json",
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert len(run.json["trials"]) == len(played_tasks)
    assert [trial for trial in run.json["trials"] if trial["score"] < 1.0] == []
