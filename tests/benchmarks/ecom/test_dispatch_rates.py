"""The rates of dispatch, which every shop of the benchmark has for itself and states on a page.

A dispatch task asks by which lanes (roads between branches) packages are sent. Rates say how often
a lane is late and by how much, and what lateness costs:

    | often | 21 % of trips |
    | short | 1 to 2 time units |
    | late | EUR 4.40 per time unit |
"""

import pytest

from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import WorldSettings
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN


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
