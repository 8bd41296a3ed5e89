"""The rates of dispatch, which every world has for itself and states on its page on dispatch.

A dispatch task asks by which lanes (roads between branches) packages are sent. Rates say how often
a lane is late and by how much, and what lateness costs:

    | often | 21 % of trips |
    | short | 1 to 2 time units |
    | late | EUR 4.40 per time unit |
"""

from statistics import mean

import pytest

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN
from tests.support.function_results import function_result
from tests.support.shop.generated_tasks import task_and_environment


def test_the_table_of_rates_has_a_row_for_every_rate() -> None:
    rates = DispatchRates(
        delayed_percent={"unlikely": 7, "often": 21},
        delay_units={"short": (1, 2), "long": (4, 12)},
        late_cents=440,
        missed_cents=7000,
    )

    assert rates.table() == (
        "| word | rate |\n"
        "| --- | --- |\n"
        "| unlikely | 7 % of trips |\n"
        "| often | 21 % of trips |\n"
        "| short | 1 to 2 time units |\n"
        "| long | 4 to 12 time units |\n"
        "| late | EUR 4.40 per time unit |\n"
        "| missed | EUR 70.00 per package |"
    )


@pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
def test_the_page_on_dispatch_has_the_table_of_its_worlds_rates(wordings: str) -> None:
    """The sentences around the table are of one of two sets of wordings."""
    for seed in range(12):
        world = generate(f"rates {seed}", WorldSettings(wordings=wordings))

        page = workspace_of(world).files[world.names.pages[DISPATCH]]

        assert world.policy.rates.table() in page


@pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
def test_every_world_has_other_rates(wordings: str) -> None:
    """No two of twelve worlds agree in the price of lateness and in all shares of late trips."""
    rates_of_worlds = set()
    for seed in range(12):
        rates = generate(f"rates {seed}", WorldSettings(wordings=wordings)).policy.rates
        rates_of_worlds.add((rates.late_cents, *rates.delayed_percent.values()))

    assert len(rates_of_worlds) == 12


def score_of_plan(task: Task, plan: str) -> float:
    """Return the score of a plan: 1.0 for `{"assignments": [...]}` with the best known routes."""
    measure = task.truth.measure
    assert measure is not None
    return measure.measure(plan, refs=[]).score


def test_a_plan_by_the_rates_of_another_world_earns_less() -> None:
    """So an agent has to read the page; to know the rates of an earlier world gains it nothing.

    `dispatch_plan`, which agents call, plans a wave (packages that are sent together). It reads the
    rates on the page, unless the call states others. In a single world, wrong rates may do no harm.
    """
    scores_by_page = []
    scores_by_other_rates = []
    for seed in range(1, 13):
        task, shop = task_and_environment("dispatch-wave", seed)
        path_of_wave = task.truth.must_cite[0]

        by_page = function_result(shop, "dispatch_plan", path=path_of_wave)
        by_other_rates = function_result(
            shop,
            "dispatch_plan",
            path=path_of_wave,
            late_cents=50,
            delays={
                "unlikely": 10,  # of 100 trips
                "often": 23,
                "likely": 10,
                "short": [1, 1],  # from 1 to 1 time unit
                "medium": [1, 2],
                "long": [1, 2],
            },
        )

        scores_by_page.append(score_of_plan(task, by_page["value"]["answer"]))
        scores_by_other_rates.append(
            score_of_plan(task, by_other_rates["value"]["answer"])
        )

    assert mean(scores_by_page) > 0.97  # The best known plan scores 1.
    assert mean(scores_by_other_rates) < mean(scores_by_page) - 0.05
