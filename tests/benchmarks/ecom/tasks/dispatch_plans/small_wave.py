"""A wave of three packages from branch `a` to branch `c`, and lanes from `a` to `b` and `b` to `c`.

plan, faults = plan_with(package_id="P0", route=["ab", "bc"], priority=1)
# {"P0": ...}, ["package P1 is left out", "package P2 is left out"]
"""

import json

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_task import ReadPlan, plan_of
from controlplane.benchmarks.ecom.tasks.dispatch.lanes import Lane
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Package, Wave
from tests.benchmarks.ecom.tasks.public_waves import PUBLIC_RATES


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


def plan_with(**assignment: object) -> ReadPlan:
    """Read a plan for the wave that has this assignment only. Return it with its faults."""
    return plan_of(json.dumps({"assignments": [assignment]}), WAVE)
