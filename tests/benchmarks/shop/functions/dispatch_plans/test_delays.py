"""`dispatch_plan` avoids lanes that are often delayed, if a page of the shop or the call says so.

Lanes are connections between branches. A package could be sent by a cheap lane that is often delayed,
"risky", or by "sure". The table says only that its "delays are likely"; the rates say what that means.
"""

from tests.benchmarks.shop.functions.dispatch_plans.small_wave import files_of_wave
from tests.benchmarks.shop.functions.functions_on_files import run_table_function

FILES = files_of_wave(
    "risky\tgraz\tlinz\t1\t4\t70\tdelays likely; long when delayed",
    "sure\tgraz\tlinz\t1\t4\t700\tdelays unlikely; short when delayed",
)


def test_delays_that_the_call_or_a_page_states_are_avoided() -> None:
    """A script need not read the page and repeat in its call what the page states."""
    page = """
| unlikely | 4 % of trips |
| likely | 70 % of trips |
| short | 1 to 2 time units |
| long | 7 to 12 time units |
"""

    plan_by_call = run_table_function(
        "dispatch_plan",
        FILES,
        path="/wave.md",
        late_cents=400,
        delays={"unlikely": 4, "likely": 70, "short": (1, 2), "long": (7, 12)},
    )
    plan_by_page = run_table_function(
        "dispatch_plan",
        FILES | {"/docs/dispatch.md": page},
        path="/wave.md",
        late_cents=400,
    )

    assert '"route": ["sure"]' in plan_by_call["value"]["answer"]
    assert plan_by_page["value"] == plan_by_call["value"]
    assert plan_by_page["notes"] == []


def test_unknown_delays_are_left_out_and_noted() -> None:
    """Nothing says how often lanes are delayed, or what a late package costs."""
    plan = run_table_function("dispatch_plan", FILES, path="/wave.md")

    assert '"route": ["risky"]' in plan["value"]["answer"]
    note_on_rates, note_on_price, *_ = plan["notes"]
    assert "no page gives the rates" in note_on_rates
    assert "no page gives the price" in note_on_price
