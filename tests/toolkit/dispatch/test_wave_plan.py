from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.dispatch import Lane, Package, plan_wave
from toolkit.dispatch.wave import cost_cents, routes, travel

PLACES = "abcd"
LANES = st.builds(
    Lane,
    id=st.uuids().map(str),
    origin=st.sampled_from(PLACES),
    destination=st.sampled_from(PLACES),
    capacity=st.integers(1, 2),
    eta=st.integers(1, 5),
    cost_cents=st.integers(1, 900),
)
PACKAGES = st.builds(
    Package,
    id=st.uuids().map(str),
    origin=st.just("a"),
    destination=st.sampled_from("bcd"),
    due=st.integers(1, 12),
    margin_cents=st.integers(1, 900),
)


def costs_of_all_plans(packages, lanes):
    """Every combination of routes, counted without any bound."""
    ranked = sorted(packages, key=lambda each: (each.due, -each.margin_cents, each.id))
    choices = [[(each, route) for route in routes(each, lanes)] for each in ranked]
    for plan in product(*[each for each in choices if each]):
        used = []
        cost = (0, 0, 0, 0)
        for package, route in plan:
            arrival = sum(lane.eta * (1 + used.count(lane.id) // lane.capacity) for lane in route)
            used += [lane.id for lane in route]
            late = max(arrival - package.due, 0)
            cost = tuple(map(sum, zip(cost, (int(late > 0), late, cost_cents(route), travel(route)), strict=True)))
        yield cost


@settings(max_examples=60, deadline=None)
@given(st.lists(PACKAGES, min_size=1, max_size=3, unique_by=lambda each: each.id), st.lists(LANES, max_size=5))
def test_no_combination_of_routes_is_better(packages, lanes):
    plan = plan_wave(packages, lanes)
    best = min(costs_of_all_plans(packages, lanes), default=None)
    # More than four routes of one package are not looked at; five lanes give no more.
    assert (plan.cost if plan else (0, 0, 0, 0)) == best


def test_a_lane_that_is_full_makes_the_next_package_wait():
    lanes = [Lane("ab", "a", "b", 1, 2, 100)]
    plan = plan_wave([Package("late", "a", "b", 9, 1), Package("early", "a", "b", 3, 1)], lanes)
    assert [(each.package.id, each.priority, each.arrival) for each in plan.assignments] == [
        ("early", 1, 2),
        ("late", 2, 4),
    ]


@pytest.mark.parametrize(("capacity", "arrivals"), [(1, [1, 2, 3, 4]), (2, [1, 1, 2, 2]), (4, [1, 1, 1, 1])])
def test_as_many_packages_as_its_capacity_share_a_trip(capacity, arrivals):
    lanes = [Lane("ab", "a", "b", capacity, 1, 100)]
    plan = plan_wave([Package(str(number), "a", "b", 9, 1) for number in range(4)], lanes)
    assert [each.arrival for each in plan.assignments] == arrivals


def test_many_packages_with_many_routes_are_planned_within_the_bound(monkeypatch):
    monkeypatch.setattr("toolkit.dispatch.wave_plan.MOST_NODES", 5_000)
    hubs = [f"hub{number}" for number in range(6)]
    lanes = [Lane(f"a-{hub}", "a", hub, 1, 1 + at, 100 - at) for at, hub in enumerate(hubs)]
    lanes += [Lane(f"{hub}-b", hub, "b", 1, 6 - at, 100) for at, hub in enumerate(hubs)]
    plan = plan_wave([Package(str(number), "a", "b", 4 + number % 3, 1) for number in range(12)], lanes)
    assert len(plan.assignments) == 12
