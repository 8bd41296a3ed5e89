"""Draws dispatch waves on which naive plans earn clearly less than good ones.

A wave is a set of packages, and of lanes over which they are sent. A naive plan routes each
package as if it travelled alone; a good plan is found by a search. A wave on which both
earn the same would not tell them apart, so lanes are drawn again until a wave is hard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch.naive_plans import naive_plans
from controlplane.benchmarks.ecom.tasks.dispatch.plan_search import good_plan
from controlplane.benchmarks.ecom.tasks.dispatch.random_lanes import draw_lanes
from controlplane.benchmarks.ecom.tasks.dispatch.run_results import mean_gain
from controlplane.benchmarks.ecom.tasks.dispatch.transfers import Transfer
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave

MAX_NAIVE_SHARE: Final = 0.96
"""On a hard wave, naive plans earn at most this share of the gain of a good plan."""
DEMANDING_DRAWS: Final = 6
"""After so many waves none of which is hard, one is enough on which naive plans earn any less."""


def with_hard_lanes(
    rng: Random, wave_without_lanes: Wave, transfers: Sequence[Transfer]
) -> Wave:
    """Return the wave with random lanes on which naive plans earn clearly less than a good plan.

    Lanes are drawn again and again until the hardest wave so far is hard enough.
    """
    hardest = _draw_wave(rng, wave_without_lanes, transfers)
    draws = 1
    while not hardest.is_hard_enough(draws):
        drawn = _draw_wave(rng, wave_without_lanes, transfers)
        draws += 1
        if drawn.rank() < hardest.rank():
            hardest = drawn
    return hardest.wave


@dataclass(frozen=True, slots=True)
class _DrawnWave:
    """A wave with random lanes, and how hard it is to plan."""

    wave: Wave
    naive_share: float
    """The gain of the best naive plan as a share of a good plan's gain: lower is harder."""

    def is_hard_enough(self, draws: int) -> bool:
        """Return True if naive plans earn so much less that no further wave must be drawn.

        `draws` is the number of waves that have been drawn, this one included.
        """
        if draws < DEMANDING_DRAWS:
            return self.naive_share <= MAX_NAIVE_SHARE
        return self.naive_share < 1

    def rank(self) -> tuple[float, str]:
        """Return the sort key, which is lowest for the hardest wave.

        If two waves are equally hard, the order of their tables of lanes decides.
        """
        return self.naive_share, self.wave.table_of_lanes()


def _draw_wave(
    rng: Random, wave_without_lanes: Wave, transfers: Sequence[Transfer]
) -> _DrawnWave:
    """Return the wave with random lanes, and how hard they make it."""
    lanes = {lane.id: lane for lane in draw_lanes(rng, transfers)}
    wave = replace(wave_without_lanes, lanes=lanes)
    naive_gain = max(mean_gain(wave, plan) for plan in naive_plans(wave))
    good_gain = mean_gain(wave, good_plan(wave))
    positive_good_gain = max(good_gain, 1)  # The divisor must not be 0.
    return _DrawnWave(wave, naive_gain / positive_good_gain)
