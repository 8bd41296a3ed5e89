"""Task names, a limit and repeats mean the same
for every benchmark, and none can get them wrong."""

from dataclasses import replace

import pytest

from controlplane import (
    BenchmarkError,
    Description,
    RunRequest,
    StartedRun,
    TaskSelection,
    TaskStub,
    TrialStub,
    start_selected_run,
)
from tests.support.phonebook import Phonebook

TASKS = ("a.1", "b.1", "a.2", "c")


@pytest.mark.parametrize(
    ("limit", "repeats"), [(1, 1), (2, 3), (3, 2), (9, 2), (None, 2)]
)
def test_a_limit_counts_tasks_and_repeats_count_tries_of_each(
    limit: int | None, repeats: int
) -> None:
    tries = TaskSelection(limit=limit, repeats=repeats).tries(TASKS)
    tasks = TASKS[:limit]

    assert len(tries) == len(tasks) * repeats
    assert {attempt.number for attempt in tries} == {0}
    for task in tasks:
        copies = [attempt.copy for attempt in tries if attempt.task_id == task]
        assert sorted(copies) == list(range(repeats))


class Careless(Phonebook):
    """Makes trials of its own choice."""

    def __init__(self, *made: TrialStub) -> None:
        super().__init__(0.0)
        self.made = made

    def start_run(self, request: RunRequest) -> StartedRun:
        return StartedRun("careless", self.made)


ADA, GRACE = TrialStub("1", "ada"), TrialStub("2", "grace")


@pytest.mark.parametrize(
    "made",
    [
        (),
        (ADA,),
        (ADA, GRACE, TrialStub("3", "edsger")),
        (GRACE, ADA),
        (ADA, replace(GRACE, trial_id="1")),
    ],
    ids=["none", "too few", "too many", "in another order", "one twice"],
)
def test_a_benchmark_that_makes_other_trials_than_it_was_asked_for_is_refused(
    made: tuple[TrialStub, ...],
) -> None:
    with pytest.raises(
        BenchmarkError, match="was asked for 2 trials and made"
    ) as refused:
        start_selected_run(Careless(*made), TaskSelection(limit=2), name="", seed=0)

    assert refused.value.code == "internal"


class Platform(Careless):
    """Allots the trials of a run itself."""

    def describe(self, preview_seed: int | None = None) -> Description:
        return Description(
            "platform", "", tuple(TaskStub(task) for task in TASKS), allots_trials=True
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        self.asked = request
        return super().start_run(request)


def platform_of_sealed_trials() -> Platform:
    """Return a platform of four trials that do not say which tasks they have."""
    return Platform(TrialStub("t0"), TrialStub("t1"), TrialStub("t2"), TrialStub("t3"))


def test_trials_that_do_not_say_their_tasks_can_be_limited() -> None:
    run = start_selected_run(
        platform_of_sealed_trials(), TaskSelection(limit=3), name="", seed=0
    )

    assert len(run.trials) == 3


def test_trials_that_do_not_say_their_tasks_cannot_be_selected_by_name() -> None:
    sealed = platform_of_sealed_trials()
    with pytest.raises(
        BenchmarkError, match="does not say which trial has which task"
    ) as refused:
        start_selected_run(sealed, TaskSelection(("a",)), name="", seed=0)

    assert refused.value.code == "failed_precondition"
