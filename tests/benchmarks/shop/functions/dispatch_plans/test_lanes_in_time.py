"""`dispatch_plan` says by which lane a shop sends a package, so that the shop earns most.

Lanes are connections between branches, with a time of arrival and a cost. The only package is due
at 7, and the shop earns 1200 cents by it. A late package costs the shop money.
"""

import json

from tests.benchmarks.shop.functions.dispatch_plans.small_wave import (
    files_of_wave,
    lane,
)
from tests.benchmarks.shop.functions.functions_on_files import run_table_function


def test_a_package_is_sent_by_the_lane_that_is_in_time() -> None:
    """By the slow lane, the package would be 5 units late, which costs 5 times 400 cents."""
    files = files_of_wave(
        lane("fast", arrives_at=4, cost_cents=700),
        lane("slow", arrives_at=12, cost_cents=70),
    )

    plan = run_table_function(
        "dispatch_plan",
        files,
        path="/wave.md",
        late_cents=400,  # for each unit of time
        # What the table of lanes calls unlikely and short: 12 % of trips, and 1 to 2 units.
        delays={"unlikely": 12, "short": (1, 2)},
    )

    assert json.loads(plan["value"]["answer"]) == {
        "assignments": [{"package_id": "package-1", "route": ["fast"], "priority": 1}]
    }
    # In time even after a delay: 1200 earned, less 700 for the lane.
    assert plan["value"]["expected_gain_cents"] == 500
    cited_paths = [ref["path"] for ref in plan["refs"]]
    assert cited_paths == ["/wave.md", "/packages.tsv", "/lanes.tsv"]
    assert plan["notes"] == []
