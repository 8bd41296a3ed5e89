"""A plan by the rates of another shop earns less, so an agent has to read them on the shop's page.

A dispatch task gives a wave: packages that are sent together by lanes, the roads between branches.
Rates say how often a lane is late, and what lateness costs. `dispatch_plan`, a function for agents,
plans a wave. It reads the rates on the page, unless the call states others.
"""

from statistics import mean

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.function_results import function_result
from tests.support.shop.generated_tasks import task_and_environment

PERCENT_OF_TRIPS_DELAYED = {"unlikely": 10, "often": 23, "likely": 10}
LEAST_AND_MOST_TIME_UNITS = {"short": [1, 1], "medium": [1, 2], "long": [1, 2]}
RATES_OF_ANOTHER_SHOP = {
    "late_cents": 50,  # for each time unit
    "delays": PERCENT_OF_TRIPS_DELAYED | LEAST_AND_MOST_TIME_UNITS,
}


def score_of_plan(task: Task, shop: Environment, **rates: object) -> float:
    """Return the score of the plan that `dispatch_plan` makes: 1.0 for the best known routes."""
    # A right answer cites the wave's document, and then the tables of its packages and lanes.
    path_of_wave, _packages_path, _lanes_path = task.truth.must_cite
    result = function_result(shop, "dispatch_plan", path=path_of_wave, **rates)
    answer = result["value"]["answer"]
    measure = task.truth.measure
    assert measure is not None
    return measure.measure(answer, refs=[]).score  # The citations do not matter here.


def test_a_plan_by_the_rates_of_another_shop_earns_less() -> None:
    """In a single shop, wrong rates may do no harm; in the mean of twelve, they do."""
    scores_by_page = []
    scores_by_other_rates = []
    for seed in range(1, 13):
        task, shop = task_and_environment("dispatch-wave", seed)
        scores_by_page.append(score_of_plan(task, shop))
        scores_by_other_rates.append(score_of_plan(task, shop, **RATES_OF_ANOTHER_SHOP))

    assert mean(scores_by_page) > 0.97  # The best known plan scores 1.
    assert mean(scores_by_other_rates) < mean(scores_by_page) - 0.05
