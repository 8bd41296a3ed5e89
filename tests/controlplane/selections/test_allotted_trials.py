"""A platform allots the trials of a run by itself, and does not say which tasks they have.

It lists its tasks, so that a user may ask for some of them by name. Any three of its four trials can be
played, but nobody knows which of them has the task a.
"""

import pytest

from controlplane import (
    BenchmarkError,
    Description,
    ListedTask,
    PlannedTrial,
    TaskSelection,
    start_selected_run,
)
from tests.controlplane.selections.careless_benchmark import CarelessBenchmark

TRIALS_WITHOUT_TASKS = [
    PlannedTrial("t0"),
    PlannedTrial("t1"),
    PlannedTrial("t2"),
    PlannedTrial("t3"),
]


class AllottingPlatform(CarelessBenchmark):
    """A platform that lists its tasks, and allots the trials of a run itself."""

    def describe(self, preview_seed: int | None = None) -> Description:
        tasks = tuple(ListedTask(task_id) for task_id in ("a.1", "b.1", "a.2", "c"))
        return Description("platform", "", tasks, allots_trials=True)


def test_trials_that_do_not_name_their_tasks_can_be_limited() -> None:
    """Any three of the platform's four trials will do."""
    platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)

    run = start_selected_run(platform, TaskSelection(limit=3), name="", seed=0)

    assert len(run.trials) == 3


def test_trials_that_do_not_name_their_tasks_cannot_be_selected_by_name() -> None:
    platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)

    with pytest.raises(
        BenchmarkError, match="does not say which trial has which task"
    ) as error:
        start_selected_run(platform, TaskSelection(("a",)), name="", seed=0)

    assert error.value.code == "failed_precondition"
