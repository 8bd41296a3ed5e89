"""Grades of dispatch plans, which are scored between 0 and 1 as in the public benchmark.

A dispatch task gives a wave: packages for branches, and lanes, the roads between branches. It asks
for a plan, which has a route and a priority for each package. The grader simulates the plan, trip
by trip, with random delays, and compares its gain with that of a good plan.
"""

import json

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.lanes import Lane
from controlplane.benchmarks.ecom.tasks.dispatch.plan_message import ReadPlan, plan_of
from controlplane.benchmarks.ecom.tasks.dispatch.run_results import mean_gain
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Package, Wave
from tests.benchmarks.ecom.tasks.graded_plans import SAMPLES, graded_answer
from tests.benchmarks.ecom.tasks.public_waves import PUBLIC_RATES, public_wave


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


class TestFaultsOfPlan:
    """A plan gives each package a route and a priority, and a wrong assignment is a fault.

    `WAVE` has three packages, which are to go from `a` to `c`, and a lane from `a` to `b` and one
    from `b` to `c`. A route is a list of lanes, each of which begins where the one before ends.
    """

    def test_an_assignment_with_a_connecting_route_and_a_priority_is_usable(
        self,
    ) -> None:
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
        self, route: object, priority: object
    ) -> None:
        plan, faults = plan_with(package_id="P0", route=route, priority=priority)

        assert plan == {}
        assert faults == ["package P0 has no usable route", P1_LEFT_OUT, P2_LEFT_OUT]

    def test_an_assignment_for_an_unknown_package_is_a_fault(self) -> None:
        """The wave has the packages P0, P1 and P2."""
        plan, faults = plan_with(package_id="PX", route=["ab", "bc"], priority=1)

        assert plan == {}
        assert faults == [
            "there is no package 'PX'",
            "package P0 is left out",
            P1_LEFT_OUT,
            P2_LEFT_OUT,
        ]


HEADROOM = 1.2
"""The public benchmark divides a plan's gain by 1.2 times that of a good plan."""
ALLOWED_DIFFERENCE = 0.012
"""How far a score may be off: the delays are drawn at random, and ours are not those of the public
benchmark."""


class TestPublicPlans:
    """Plans that the public benchmark graded get nearly the same score from our simulation.

    A *wave* is a set of packages and of lanes, the roads between branches. The *gain* of a plan is
    what its packages earn minus what their trips cost, as a mean over trips with random delays:

        score = gain of the plan / (1.2 * gain of a good plan)

    The samples of three public waves have their packages and lanes, a plan, and its public score.
    """

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
        self, wave_id: str, packages_file: str, lanes_file: str
    ) -> None:
        """The good plan is not public: the best one that our search finds takes its place."""
        wave = public_wave(wave_id, packages_file=packages_file, lanes_file=lanes_file)
        public_answer = graded_answer(wave_id)

        gain = mean_gain(wave, plan_of(public_answer.message, wave).plan)
        gain_of_good_plan = mean_gain(wave, DispatchMeasure(wave).best)
        our_score = gain / (HEADROOM * gain_of_good_plan)

        assert our_score == pytest.approx(public_answer.score, abs=ALLOWED_DIFFERENCE)
