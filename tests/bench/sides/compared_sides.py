"""What a trial costs in the control plane, and how many times as much as in a bare script.

A bare script plays the same trial without a control plane. It is a *floor*: no control plane can cost
less. A cost is measured without the start of the process, by a short and a long run.
"""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from tests.bench.sides.cost_sides import Side
from tests.bench.sides.further_trials import RunLengths, measure_trial


class CostRatio(NamedTuple):
    """How many times as much as a bare script our trial costs."""

    cpu: float
    wall: float

    def __str__(self) -> str:
        return f"{self.cpu:.2f} CPU, {self.wall:.2f} wall"


def compare_with_floors(
    ours: Side, floors: Sequence[Side], lengths: RunLengths, rounds: int
) -> None:
    """Print what a trial costs each side, and how many times as much ours as each bare script.

    `measure_trial` prints the cost: "ours: 7.00 ms CPU ... a trial". This function prints the
    ratios to each floor, of each round and their medians. All sides are measured in each round, so
    that the load of the machine is the same for all.
    """
    ratios_by_floor: dict[str, list[CostRatio]] = {floor.name: [] for floor in floors}
    for _ in range(rounds):
        floor_costs = {floor.name: measure_trial(floor, lengths) for floor in floors}
        our_cost = measure_trial(ours, lengths)
        for name, floor_cost in floor_costs.items():
            ratio = CostRatio(
                cpu=our_cost.cpu_ms / floor_cost.cpu_ms,
                wall=our_cost.wall_ms / floor_cost.wall_ms,
            )
            ratios_by_floor[name].append(ratio)
            heading = f"ratio to {name}"
            print(f"{heading:>24}: {ratio}")

    for name, ratios in ratios_by_floor.items():
        median_ratio = CostRatio(
            cpu=statistics.median(ratio.cpu for ratio in ratios),
            wall=statistics.median(ratio.wall for ratio in ratios),
        )
        print(f"median ratio to the {name} over {rounds} rounds: {median_ratio}")
