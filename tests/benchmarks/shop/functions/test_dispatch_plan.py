"""`dispatch_plan` says by which lanes the packages of a wave are sent, so that few are late.

A *wave* is a set of packages that branches send to each other by lanes. A lane may be delayed, and a
late package costs money.
"""

import json
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from tests.benchmarks.ecom.tasks.public_waves import PUBLIC_RATES, public_wave
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


SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"
"""The folder with the recorded waves of the public shop benchmark, beside the repository."""


def files_of_public_wave(packages_file: str, lanes_file: str) -> dict[str, str]:
    """Return a recorded wave as the files of a workspace: its description and its two tables.

    The description is that of the first wave, called BD2bv3HB.
    """
    folder = "/ops/dispatch/wave-BD2bv3HB"
    sources = {
        "dispatch.md": "dispatch_wave_file.txt",
        "packages.tsv": packages_file,
        "lanes.tsv": lanes_file,
    }
    files = {}
    for name, source in sources.items():
        files[f"{folder}/{name}"] = (SAMPLES / source).read_text("utf-8")
    return files


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(
    ("packages_file", "lanes_file"),
    [
        ("dispatch_packages.tsv", "dispatch_lanes.tsv"),
        ("dispatch_packages_wave2.tsv", "dispatch_lanes_wave2.tsv"),
        ("dispatch_packages_wave3.tsv", "dispatch_lanes_wave3.tsv"),
    ],
)
class TestPublicWaves:
    """A plan for a recorded wave scores 1 if it earns as much as the best known plan."""

    def test_the_plan_for_a_public_wave_scores_at_least_nine_tenths(
        self, packages_file: str, lanes_file: str
    ) -> None:
        files = files_of_public_wave(packages_file, lanes_file)

        plan = run_table_function(
            "dispatch_plan",
            files,
            path="/ops/dispatch/wave-BD2bv3HB/dispatch.md",
            late_cents=PUBLIC_RATES.late_cents,
            delays={**PUBLIC_RATES.delayed_percent, **PUBLIC_RATES.delay_units},
        )

        wave = public_wave(
            "the wave", packages_file=packages_file, lanes_file=lanes_file
        )
        measured = DispatchMeasure(wave).measure(plan["value"]["answer"], refs=())
        assert measured.score >= 0.9, measured.explanation
        assert [ref["path"] for ref in plan["refs"]] == list(files)
        assert plan["notes"] == []

    def test_a_wave_without_known_rates_is_planned_with_notes_on_what_is_missing(
        self, packages_file: str, lanes_file: str
    ) -> None:
        """Neither the call nor a page says how often lanes are late, or what that costs."""
        plan = run_table_function(
            "dispatch_plan",
            files_of_public_wave(packages_file, lanes_file),
            path="/ops/dispatch/wave-BD2bv3HB/dispatch.md",
        )

        wave = public_wave(
            "the wave", packages_file=packages_file, lanes_file=lanes_file
        )
        measured = DispatchMeasure(wave).measure(plan["value"]["answer"], refs=())
        assert measured.score > 0, measured.explanation
        assert "no page gives the rates" in plan["notes"][0]
        assert "no page gives the price" in plan["notes"][1]
