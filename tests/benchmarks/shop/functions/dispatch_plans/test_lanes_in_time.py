"""`dispatch_plan` says by which lanes a shop's packages are sent, so that few are late.

Lanes are connections between branches, with a time of arrival and a cost. A late package costs
money.
"""

import json

from tests.benchmarks.shop.functions.dispatch_plans.small_wave import files_of_wave
from tests.benchmarks.shop.functions.functions_on_files import run_table_function


def test_a_package_is_sent_by_the_lane_that_is_in_time() -> None:
    """The slow lane is cheaper, but the package would arrive at 12, and is due at 7."""
    files = files_of_wave(
        "fast\tgraz\tlinz\t1\t4\t700\tdelays unlikely; short when delayed",
        "slow\tgraz\tlinz\t1\t12\t70\tdelays unlikely; short when delayed",
    )

    plan = run_table_function(
        "dispatch_plan",
        files,
        path="/wave.md",
        late_cents=400,  # for each unit of time
        delays={"unlikely": 12, "short": (1, 2)},  # 12 % of trips, by 1 to 2 units
    )

    assert json.loads(plan["value"]["answer"]) == {
        "assignments": [{"package_id": "package-1", "route": ["fast"], "priority": 1}]
    }
    assert plan["value"]["expected_gain_cents"] == 500  # 1200 - 700
    cited_paths = [ref["path"] for ref in plan["refs"]]
    assert cited_paths == ["/wave.md", "/packages.tsv", "/lanes.tsv"]
    assert plan["notes"] == []
