"""`dispatch_plan` avoids lanes that are often delayed, if the call or a page says how often.

Lanes are connections between branches. A package is due at 7, and both lanes arrive at 4. The cheap
lane, "risky", is likely to be delayed. The table of lanes has only words for this; the *rates* say
how often a "likely" delay happens, and how many units of time a "long" one takes.
"""

from tests.benchmarks.shop.functions.dispatch_plans.small_wave import (
    files_of_wave,
    lane,
)
from tests.benchmarks.shop.functions.functions_on_files import run_table_function

FILES = files_of_wave(
    lane(
        "risky", arrives_at=4, cost_cents=70, delays="delays likely; long when delayed"
    ),
    lane(
        "sure",
        arrives_at=4,
        cost_cents=700,
        delays="delays unlikely; short when delayed",
    ),
)

RATES = {"unlikely": 4, "likely": 70, "short": (1, 2), "long": (7, 12)}
"""Per cent of trips, and units of time from the least to the most."""


def test_lanes_that_are_often_delayed_by_the_rates_of_the_call_are_avoided() -> None:
    plan = run_table_function(
        "dispatch_plan",
        FILES,
        path="/wave.md",
        late_cents=400,  # for each unit of time
        delays=RATES,
    )

    assert '"route": ["sure"]' in plan["value"]["answer"]


def test_rates_on_a_page_have_the_same_effect_as_in_the_call() -> None:
    """Without rates in the call, the function reads the page that /wave.md names."""
    page = """| unlikely | 4 % of trips |
| likely | 70 % of trips |
| short | 1 to 2 time units |
| long | 7 to 12 time units |
"""

    plan_by_page = run_table_function(
        "dispatch_plan",
        FILES | {"/docs/dispatch.md": page},
        path="/wave.md",
        late_cents=400,
    )
    plan_by_call = run_table_function(
        "dispatch_plan",
        FILES,
        path="/wave.md",
        late_cents=400,
        delays=RATES,
    )

    assert plan_by_page["value"] == plan_by_call["value"]
    assert plan_by_page["notes"] == []


def test_unknown_delays_are_left_out_and_noted() -> None:
    """Without rates and a price of lateness, the cheap lane seems best."""
    plan = run_table_function("dispatch_plan", FILES, path="/wave.md")

    assert '"route": ["risky"]' in plan["value"]["answer"]
    notes = plan["notes"]
    assert "no page gives the rates" in notes[0]
    assert "no page gives the price" in notes[1]
