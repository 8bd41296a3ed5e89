"""Grades of dispatch plans, which are scored between 0 and 1 as in the public benchmark.

A dispatch task gives a wave: packages for branches, and lanes, the roads between branches. It asks
for a plan, which has a route and a priority for each package. The grader simulates the plan, trip
by trip, with random delays, and compares its gain with that of a good plan.
"""

import csv
import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.lanes import Lane
from controlplane.benchmarks.ecom.tasks.dispatch.plan_message import ReadPlan, plan_of
from controlplane.benchmarks.ecom.tasks.dispatch.run_results import mean_gain
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Package, Wave
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates

PUBLIC_RATES = DispatchRates(
    # In the public benchmark, the shares are 26, 58 and 90 of 256 trips.
    delayed_percent={
        "unlikely": 100 * 26 / 256,
        "often": 100 * 58 / 256,
        "likely": 100 * 90 / 256,
    },
    # The shortest and the longest delay, in units of time.
    delay_units={"short": (1, 3), "medium": (2, 4), "long": (5, 8)},
    # The cost of each unit of time by which a package is late.
    late_cents=650,
    # The cost of a package that never arrives. The number is a guess, and does not matter: in the
    # public plans, every package arrives.
    missed_cents=5_000,
)
"""How often and how long lanes are delayed in the public benchmark, and what that costs."""

# The faults of a plan ---------------------------------------------------------------------------


def lane(lane_id: str, start: str, end: str) -> Lane:
    """Return a lane for one package at a time, which takes two units of time and is rarely late."""
    return Lane(
        lane_id,
        start,
        end,
        capacity=1,
        eta=2,
        cost_cents=100,
        delay_frequency="unlikely",
        delay_length="long",
    )


def package(package_id: str) -> Package:
    """Return a package that is to go from `a` to `c`."""
    return Package(package_id, start="a", end="c", due=5, margin_cents=1_000)


WAVE = Wave(
    "w",
    packages={"P0": package("P0"), "P1": package("P1"), "P2": package("P2")},
    lanes={"ab": lane("ab", "a", "b"), "bc": lane("bc", "b", "c")},
    rates=PUBLIC_RATES,
)
"""Three packages from `a` to `c`, and lanes from `a` to `b` and from `b` to `c`."""


def plan_with(**assignment: object) -> ReadPlan:
    """Read a plan for the wave that has this assignment only.

    `plan_with(package_id="P0", route=["ab", "bc"], priority=1)`
    """
    return plan_of(json.dumps({"assignments": [assignment]}), WAVE)


P1_LEFT_OUT = "package P1 is left out"
P2_LEFT_OUT = "package P2 is left out"


def test_an_assignment_with_a_connecting_route_and_a_priority_is_usable() -> None:
    """The plan has one package of three. The faults are about the two others."""
    plan, faults = plan_with(package_id="P0", route=["ab", "bc"], priority=1)

    assert list(plan) == ["P0"]
    assert faults == [P1_LEFT_OUT, P2_LEFT_OUT]


@pytest.mark.parametrize(
    ("route", "priority"),
    [
        pytest.param(["bc", "ab"], 1, id="lanes in the wrong order"),
        pytest.param(["ab"], 1, id="half of the way"),
        pytest.param([], 1, id="no lanes"),
        pytest.param(["ab", "bc"] * 50, 1, id="more lanes than a route may have"),
        pytest.param(["ab", "bc"], True, id="a boolean as priority"),
        pytest.param(["ab", "bc"], "1", id="a text as priority"),
        pytest.param("ab", 1, id="a text as route"),
    ],
)
def test_an_assignment_without_a_usable_route_and_priority_is_a_fault(
    route: object, priority: object
) -> None:
    """A route is a list of lanes, each of which begins where the one before ends."""
    plan, faults = plan_with(package_id="P0", route=route, priority=priority)

    assert plan == {}
    assert faults == ["package P0 has no usable route", P1_LEFT_OUT, P2_LEFT_OUT]


def test_an_assignment_for_an_unknown_package_is_a_fault() -> None:
    """The wave has the packages P0, P1 and P2."""
    plan, faults = plan_with(package_id="PX", route=["ab", "bc"], priority=1)

    assert plan == {}
    assert faults == [
        "there is no package 'PX'",
        "package P0 is left out",
        P1_LEFT_OUT,
        P2_LEFT_OUT,
    ]


# Plans that the public benchmark graded ----------------------------------------------------------

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"
"""Files of the public benchmark, beside the repository."""

HEADROOM = 1.2
"""The public benchmark divides a plan's gain by 1.2 times that of a good plan."""

DELAY_HINT = re.compile("delays (?P<frequency>.*); (?P<length>.*) when delayed")
"""How often and how long a lane is delayed: `delays unlikely; short when delayed`."""


def sample_text(name: str) -> str:
    """Return the text of a file of the public benchmark."""
    return (SAMPLES / name).read_text("utf-8")


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a tab-separated sample, each by the names of its columns."""
    return list(csv.DictReader(sample_text(name).splitlines(), delimiter="\t"))


def public_wave(wave_id: str, *, packages_file: str, lanes_file: str) -> Wave:
    """Return a wave of the public benchmark from its tables of packages and lanes."""
    packages = {}
    for row in read_table(packages_file):
        packages[row["package_id"]] = Package(
            row["package_id"],
            start=row["from_store_id"],
            end=row["to_store_id"],
            due=int(row["due_time"]),
            margin_cents=int(row["margin_cents"]),
        )
    lanes = {}
    for row in read_table(lanes_file):
        delay = DELAY_HINT.match(row["delay_hint"])
        assert delay is not None
        lanes[row["lane_id"]] = Lane(
            row["lane_id"],
            start=row["from"],
            end=row["to"],
            capacity=int(row["capacity"]),
            eta=int(row["eta"]),
            cost_cents=int(row["cost_cents"]),
            delay_frequency=delay["frequency"],
            delay_length=delay["length"],
        )
    return Wave(wave_id, packages, lanes, PUBLIC_RATES)


class GradedAnswer(NamedTuple):
    """An answer to a dispatch task, and what the public benchmark gave for it."""

    message: str
    """The plan as JSON."""
    score: float


def graded_answer(wave_id: str) -> GradedAnswer:
    """Return the answer for a wave from the file of graded answers, one JSON object a line."""
    for line in sample_text("dispatch_answers_scored.jsonl").splitlines():
        answer = json.loads(line)
        if answer["wave"] == wave_id:
            message = answer["message"]
            if not isinstance(message, str):
                message = json.dumps(message)
            return GradedAnswer(message, answer["score"])
    msg = f"no answer for wave {wave_id} was graded"
    raise AssertionError(msg)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(
    ("wave_id", "packages_file", "lanes_file"),
    [
        pytest.param(
            "BD2bv3HB", "dispatch_packages.tsv", "dispatch_lanes.tsv", id="wave 1"
        ),
        pytest.param(
            "Yj4oo8jz",
            "dispatch_packages_wave2.tsv",
            "dispatch_lanes_wave2.tsv",
            id="wave 2",
        ),
        pytest.param(
            "ApdgNmry",
            "dispatch_packages_wave3.tsv",
            "dispatch_lanes_wave3.tsv",
            id="wave 3",
        ),
    ],
)
def test_a_public_plan_scores_what_the_public_benchmark_gave_it(
    wave_id: str, packages_file: str, lanes_file: str
) -> None:
    """Our simulation of the plan must gain as much as theirs, which is not public.

    A gain is a mean over random delays. Ours are others than theirs, so the scores differ a little.
    """
    wave = public_wave(wave_id, packages_file=packages_file, lanes_file=lanes_file)
    public_answer = graded_answer(wave_id)

    plan = plan_of(public_answer.message, wave).plan
    best_plan = DispatchMeasure(wave).best
    our_score = mean_gain(wave, plan) / (HEADROOM * mean_gain(wave, best_plan))

    assert our_score == pytest.approx(public_answer.score, abs=0.012)
