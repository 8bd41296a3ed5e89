"""Naive plans for a dispatch wave: each package is routed as if it travelled alone.

A wave is a set of packages that are sent at the same time, over lanes that carry only a few
each. So a plan that takes the cheapest lanes for every package makes them wait for each
other. Good plans must earn more than these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from controlplane.benchmarks.ecom.tasks.dispatch.routes import (
    LaneSequence,
    cost_cents_of,
    lane_sequences,
    plan_of_choice,
    route_along,
    travel_time,
)
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Plan
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave


def naive_plans(wave: Wave) -> list[Plan]:
    """Return three plans that route each package as if it travelled alone.

    The first takes the fewest lanes, the second the fastest, the third the cheapest.
    """
    sequences = {
        package.id: lane_sequences(wave, package) for package in wave.packages.values()
    }
    return [
        _plan_with_least(wave, sequences, len),
        _plan_with_least(wave, sequences, travel_time),
        _plan_with_least(wave, sequences, cost_cents_of),
    ]


def _plan_with_least(
    wave: Wave,
    sequences: Mapping[str, Sequence[LaneSequence]],
    measure: Callable[[LaneSequence], int],
) -> Plan:
    """Return the plan in which each package takes the lanes with the lowest measure.

    `sequences` are the possible lanes of each package. `measure` returns, for example, the
    cost of some lanes. A package without possible lanes is missing in the plan.
    """
    choice = {}
    for package_id, possible_lanes in sequences.items():
        if possible_lanes:
            lanes = min(possible_lanes, key=measure)
            choice[package_id] = route_along(lanes, wave.rates)
    return plan_of_choice(wave, choice)
