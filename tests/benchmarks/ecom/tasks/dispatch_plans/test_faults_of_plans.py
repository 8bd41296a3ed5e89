"""Faults of dispatch plans: an assignment with a wrong route, say.

A *wave* has packages for branches of the shop, and lanes, the roads between branches. A plan gives
each package a route, a list of lanes, each of which begins where the one before ends, and a
priority: `{"package_id": "P0", "route": ["ab", "bc"], "priority": 1}`.
"""

import pytest

from tests.benchmarks.ecom.tasks.dispatch_plans.small_wave import plan_with


def test_an_assignment_with_a_connecting_route_and_a_priority_is_usable() -> None:
    """The wave has three packages from `a` to `c`. The plan leaves two of them out."""
    plan, faults = plan_with(package_id="P0", route=["ab", "bc"], priority=1)

    assert list(plan) == ["P0"]
    assert faults == ["package P1 is left out", "package P2 is left out"]


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
    plan, faults = plan_with(package_id="P0", route=route, priority=priority)

    assert plan == {}
    assert faults == [
        "package P0 has no usable route",
        "package P1 is left out",
        "package P2 is left out",
    ]


def test_an_assignment_for_an_unknown_package_is_a_fault() -> None:
    plan, faults = plan_with(package_id="PX", route=["ab", "bc"], priority=1)

    assert plan == {}
    assert faults == [
        "there is no package 'PX'",
        "package P0 is left out",
        "package P1 is left out",
        "package P2 is left out",
    ]
