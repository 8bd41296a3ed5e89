"""The tasks of a run: `run a.1 b --limit 3 --repeats 2` means the same for every benchmark.

The product selects tasks and repeats, and asks the benchmark for exactly these trials. A benchmark
that makes other trials is refused. Some platforms allot the trials of a run themselves; the product
then keeps the selected ones.
"""

import pytest

from controlplane import (
    BenchmarkError,
    Description,
    ListedTask,
    PlannedTrial,
    RunRequest,
    StartedRun,
    TaskSelection,
    TaskTry,
    start_selected_run,
)
from tests.support.phonebook import Phonebook

TASKS = ["a.1", "b.1", "a.2", "c"]


def counted_tries(tries: tuple[TaskTry, ...]) -> dict[str, int]:
    """Return how often each task is tried: `{"a.1": 2, "b.1": 2}`."""
    counts: dict[str, int] = {}
    for task_try in tries:
        counts[task_try.task_id] = counts.get(task_try.task_id, 0) + 1
    return counts


class TestSelections:
    """`--limit 2 --repeats 3` takes the first two tasks, and each of them three times.

    The benchmark lists the tasks a.1, b.1, a.2 and c.
    """

    @pytest.mark.parametrize(
        ("limit", "repeats", "expected_tries"),
        [
            pytest.param(1, 1, {"a.1": 1}, id="one task once"),
            pytest.param(2, 3, {"a.1": 3, "b.1": 3}, id="two tasks three times"),
            pytest.param(3, 2, {"a.1": 2, "b.1": 2, "a.2": 2}, id="three tasks twice"),
            pytest.param(
                9, 2, {"a.1": 2, "b.1": 2, "a.2": 2, "c": 2}, id="limit above all tasks"
            ),
            pytest.param(
                None, 2, {"a.1": 2, "b.1": 2, "a.2": 2, "c": 2}, id="no limit"
            ),
        ],
    )
    def test_a_limit_counts_tasks_and_each_is_repeated(
        self, limit: int | None, repeats: int, expected_tries: dict[str, int]
    ) -> None:
        """The limit takes the first tasks. It does not count their repeats."""
        tries = TaskSelection(limit=limit, repeats=repeats).tries(TASKS)

        assert counted_tries(tries) == expected_tries

    def test_repeats_of_a_task_are_numbered_and_in_the_same_world(self) -> None:
        """A world is the generated content of a task, such as a phone book with other names. A run
        may play a task in several worlds; repeats play it several times in one."""
        tries = TaskSelection(limit=1, repeats=3).tries(TASKS)

        repeat_numbers = [task_try.copy for task_try in tries]
        world_numbers = [task_try.number for task_try in tries]
        assert repeat_numbers == [0, 1, 2]
        assert world_numbers == [0, 0, 0]


class CarelessBenchmark(Phonebook):
    """A phone book that makes the trials of its argument, whatever it is asked for."""

    def __init__(self, trials: list[PlannedTrial]) -> None:
        super().__init__(delay_s=0.0)
        self.trials = tuple(trials)

    def start_run(self, request: RunRequest) -> StartedRun:
        return StartedRun("careless", self.trials)


# Trials, each with its id and its task.
ADA = PlannedTrial("1", "ada")
GRACE = PlannedTrial("2", "grace")
EDSGER = PlannedTrial("3", "edsger")
GRACE_WITH_ADAS_ID = PlannedTrial("1", "grace")


class TestOtherTrials:
    """A benchmark is asked for the tasks ada and grace, and makes other trials.

    The answers would be counted for tasks that nobody asked for.
    """

    @pytest.mark.parametrize(
        "trials",
        [
            pytest.param([], id="none"),
            pytest.param([ADA], id="too few"),
            pytest.param([ADA, GRACE, EDSGER], id="too many"),
            pytest.param([GRACE, ADA], id="in another order"),
            pytest.param([ADA, GRACE_WITH_ADAS_ID], id="two with one id"),
        ],
    )
    def test_a_benchmark_that_makes_other_trials_than_it_was_asked_for_is_refused(
        self, trials: list[PlannedTrial]
    ) -> None:
        """It is asked for the first two tasks of the phone book, ada and grace."""
        benchmark = CarelessBenchmark(trials)

        with pytest.raises(
            BenchmarkError, match="was asked for 2 trials and made"
        ) as error:
            start_selected_run(benchmark, TaskSelection(limit=2), name="", seed=0)

        assert error.value.code == "internal"


TRIALS_WITHOUT_TASKS = [
    PlannedTrial("t0"),
    PlannedTrial("t1"),
    PlannedTrial("t2"),
    PlannedTrial("t3"),
]


class AllottingPlatform(CarelessBenchmark):
    """A platform that lists its tasks, and allots the trials of a run itself."""

    def describe(self, preview_seed: int | None = None) -> Description:
        tasks = tuple(ListedTask(task_id) for task_id in TASKS)
        return Description("platform", "", tasks, allots_trials=True)


class TestAllottedTrials:
    """A platform allots four trials by itself, and does not say which tasks they have.

    It lists its tasks, so that a user may ask for some of them by name.
    """

    def test_trials_that_do_not_name_their_tasks_can_be_limited(self) -> None:
        """Any three of the platform's four trials will do."""
        platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)

        run = start_selected_run(platform, TaskSelection(limit=3), name="", seed=0)

        assert len(run.trials) == 3

    def test_trials_that_do_not_name_their_tasks_cannot_be_selected_by_name(
        self,
    ) -> None:
        """Nobody knows which of the platform's trials has the task a."""
        platform = AllottingPlatform(TRIALS_WITHOUT_TASKS)

        with pytest.raises(
            BenchmarkError, match="does not say which trial has which task"
        ) as error:
            start_selected_run(platform, TaskSelection(("a",)), name="", seed=0)

        assert error.value.code == "failed_precondition"
