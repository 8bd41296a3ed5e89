"""`dispatch_plan` says by which lanes the packages of a wave are sent, so that few are late.

A *wave* is a set of packages that branches send to each other by lanes. A lane may be delayed, and a
late package costs money.
"""

import json

from tests.benchmarks.shop.functions.functions_on_files import run_table_function


def files_of_wave(*lanes: str) -> dict[str, str]:
    """Return a wave with one package, which is sent from Graz to Linz and due at the time 7.

    A lane is given as its row: name, start, end, room, time of arrival, cost in cents, delays.
    """
    return {
        "/wave.md": "Follow /docs/dispatch.md.\n"
        "Packages: /packages.tsv\n"
        "Lanes: /lanes.tsv\n",
        "/packages.tsv": "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
        "package-1\tgraz\tlinz\t7\t1200\n",
        "/lanes.tsv": "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"
        + "\n".join(lanes),
    }


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


TWO_LANES = (
    "risky\tgraz\tlinz\t1\t4\t70\tdelays likely; long when delayed",
    "sure\tgraz\tlinz\t1\t4\t700\tdelays unlikely; short when delayed",
)


class TestDelays:
    """The package could be sent by a cheap lane that is often delayed, or by a sure one."""

    def test_delays_that_the_call_or_a_page_states_are_avoided(self) -> None:
        """A script need not read the page and repeat in its call what the page states."""
        files = files_of_wave(*TWO_LANES)
        page = """
| unlikely | 4 % of trips |
| likely | 70 % of trips |
| short | 1 to 2 time units |
| long | 7 to 12 time units |
"""

        plan_by_call = run_table_function(
            "dispatch_plan",
            files,
            path="/wave.md",
            late_cents=400,
            delays={"unlikely": 4, "likely": 70, "short": (1, 2), "long": (7, 12)},
        )
        plan_by_page = run_table_function(
            "dispatch_plan",
            files | {"/docs/dispatch.md": page},
            path="/wave.md",
            late_cents=400,
        )

        assert '"route": ["sure"]' in plan_by_call["value"]["answer"]
        assert plan_by_page["value"] == plan_by_call["value"]
        assert plan_by_page["notes"] == []

    def test_unknown_delays_are_left_out_and_noted(self) -> None:
        """Nothing says how often lanes are delayed, or what a late package costs."""
        plan = run_table_function(
            "dispatch_plan", files_of_wave(*TWO_LANES), path="/wave.md"
        )

        assert '"route": ["risky"]' in plan["value"]["answer"]
        note_on_rates, note_on_price, *_ = plan["notes"]
        assert "no page gives the rates" in note_on_rates
        assert "no page gives the price" in note_on_price
