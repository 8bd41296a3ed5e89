"""The rates of dispatch tasks, which an agent has to take from the pages of the world.

A dispatch task asks for a plan that sends packages by lanes with random delays. The rates say how
often a lane is late, by how much, and what lateness costs, and plans are graded by them. Every
world has rates of its own, and states them on its page on dispatch.
"""

from statistics import mean

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN
from tests.benchmarks.ecom.numbers_in_texts import numbers_in_texts
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.function_results import function_result
from tests.support.shop.calls.family_calls import CALLS_OF_FAMILY
from tests.support.shop.generated_tasks import task_and_environment

WORLD_COUNT = 12


def measure_of(task: Task) -> DispatchMeasure:
    """Return what scores the plans of a dispatch task."""
    measure = task.truth.measure
    assert isinstance(measure, DispatchMeasure)
    return measure


class TestRatesOnPages:
    """Every world has rates of its own, and states them on its page on dispatch.

    The rates of a world say, for example, that a lane that is "unlikely" to be late is late in
    12 of 100 trips, that a "short" delay takes 1 to 3 units of time, and that a unit of
    lateness costs 650 cents.
    """

    @pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
    def test_the_page_on_dispatch_states_all_rates_of_its_world(
        self, wordings: str
    ) -> None:
        """`wordings` is one of two sets of texts from which the pages of worlds are made."""
        for seed in range(WORLD_COUNT):
            settings = WorldSettings(wordings=wordings)
            task = generate_variant("dispatch-wave", f"rates {seed}", settings)
            rates = measure_of(task).wave.rates

            page = workspace_of(task.world).files[task.world.names.pages[DISPATCH]]
            stated_numbers = numbers_in_texts([page])

            assert stated_numbers >= set(rates.delayed_percent.values())
            for shortest, longest in rates.delay_units.values():
                assert shortest in stated_numbers
                assert longest in stated_numbers
            assert rates.late_cents in stated_numbers
            assert rates.missed_cents in stated_numbers

    @pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
    def test_every_world_has_other_rates(self, wordings: str) -> None:
        """No two worlds have the same cost of lateness and the same shares of late trips."""
        rates_of_worlds = set()
        for seed in range(WORLD_COUNT):
            settings = WorldSettings(wordings=wordings)
            task = generate_variant("dispatch-wave", f"rates {seed}", settings)
            rates = measure_of(task).wave.rates
            rates_of_worlds.add((rates.late_cents, *rates.delayed_percent.values()))

        assert len(rates_of_worlds) == WORLD_COUNT


RATES_OF_ANOTHER_WORLD = {
    "late_cents": 50,
    "delays": {
        "unlikely": 10,
        "often": 23,
        "likely": 10,
        "short": [1, 1],
        "medium": [1, 2],
        "long": [1, 2],
    },
}
"""Rates as they might stand on the page of another world.

The page says how much a delay costs (50 cents for a unit of time), in how many of 100 trips a lane
that is "unlikely" to be late is late (10), and how many units a "short" delay takes (1 to 1).
"""


def score_of_dispatch_plan(seed: int, **rates: object) -> float:
    """Return the score of the plan that the function `dispatch_plan` makes in a seed's world.

    Without `rates`, the function takes them from the page of the world, as agents should.
    """
    task, environment = task_and_environment("dispatch-wave", seed)
    (call,) = CALLS_OF_FAMILY["dispatch-wave"](task)

    result = function_result(environment, call.function, **call.arguments, **rates)

    plan_as_json = result["value"]["answer"]
    no_refs = ()
    return measure_of(task).measure(plan_as_json, no_refs).score


class TestRatesOfAnotherWorld:
    """An agent gains nothing from rates that it knows from another world.

    The function `dispatch_plan`, which agents may call, plans by which lanes packages are sent. It
    takes the rates from the world's page, unless the call gives others. A plan scores 1 if it earns
    as much as the best known plan, and less if it expects other delays than the world has.
    """

    def test_a_plan_by_the_rates_of_another_world_earns_less(self) -> None:
        """The mean over several worlds is compared: in a single one, wrong rates may do no harm."""
        scores_by_page = []
        scores_by_other_rates = []
        for seed in range(1, 1 + WORLD_COUNT):
            scores_by_page.append(score_of_dispatch_plan(seed))
            scores_by_other_rates.append(
                score_of_dispatch_plan(seed, **RATES_OF_ANOTHER_WORLD)
            )

        assert mean(scores_by_page) > 0.97  # The best known plan scores 1.
        assert mean(scores_by_other_rates) < mean(scores_by_page) - 0.05
