"""A benchmark that makes other trials than it was asked for is refused.

It is asked for the first two tasks of a phone book, ada and grace. Otherwise answers would be counted
for tasks that nobody asked for.
"""

import pytest

from controlplane import BenchmarkError, PlannedTrial, TaskSelection, start_selected_run
from tests.controlplane.selections.careless_benchmark import CarelessBenchmark

# Trials, each with its id and its task.
ADA = PlannedTrial("1", "ada")


GRACE = PlannedTrial("2", "grace")


EDSGER = PlannedTrial("3", "edsger")


GRACE_WITH_ADAS_ID = PlannedTrial("1", "grace")


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
    trials: list[PlannedTrial],
) -> None:
    benchmark = CarelessBenchmark(trials)

    with pytest.raises(
        BenchmarkError, match="was asked for 2 trials and made"
    ) as error:
        start_selected_run(benchmark, TaskSelection(limit=2), name="", seed=0)

    assert error.value.code == "internal"
