"""A platform allots the trials of a run by itself, and does not say which task each trial has.

The platform lists four tasks. A user may ask for three of the four trials, whichever they are. A user may
not ask for the task dates.1 or for all tasks `dates.*`, since nobody knows which trials have them.
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
    """A platform that lists its tasks. Each of its runs has the trials with which it was made."""

    def describe(self, preview_seed: int | None = None) -> Description:
        task_ids = ("dates.1", "sums.1", "dates.2", "sums.2")
        tasks = tuple(ListedTask(task_id) for task_id in task_ids)
        return Description("platform", "", tasks, allots_trials=True)


def test_trials_that_do_not_name_their_tasks_can_be_limited() -> None:
    platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)

    run = start_selected_run(platform, TaskSelection(limit=3), name="", seed=0)

    assert len(run.trials) == 3


@pytest.mark.parametrize(
    "selected_name",
    [
        pytest.param("dates.1", id="a task"),
        pytest.param("dates", id="a family: dates.1 and dates.2"),
    ],
)
def test_trials_that_do_not_name_their_tasks_cannot_be_selected_by_name(
    selected_name: str,
) -> None:
    platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)
    selection = TaskSelection(names=(selected_name,))

    with pytest.raises(
        BenchmarkError, match="does not say which trial has which task"
    ) as error:
        start_selected_run(platform, selection, name="", seed=0)

    assert error.value.code == "failed_precondition"
