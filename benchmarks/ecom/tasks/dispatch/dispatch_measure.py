"""The score of a plan for a dispatch wave.

A wave is a set of packages that branches send to each other at the same time. A plan gives
each package a route and a priority. It is simulated with random delays. Its gain, the margin of
the packages minus the costs, is compared with that of naive plans and of the best known plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch.naive_plans import naive_plans
from controlplane.benchmarks.ecom.tasks.dispatch.plan_message import plan_of
from controlplane.benchmarks.ecom.tasks.dispatch.plan_search import best_known_plan
from controlplane.benchmarks.ecom.tasks.dispatch.run_results import (
    RunResult,
    mean_gain,
    run_results,
)
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Plan
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave
from controlplane.benchmarks.ecom.tasks.truth import Measured

NAIVE_SCORE: Final = 0.7
"""The score of the best naive plan; the best known plan scores 1. This scale is our choice."""


@dataclass(frozen=True)
class DispatchMeasure:
    """Scores plans for one wave: the packages and lanes that a task is about.

    A plan is simulated many times with random delays, which are the same for all plans.
    Its score follows from its mean gain, compared with naive plans (each package is
    routed as if it travelled alone) and the best known plan.
    """

    wave: Wave

    @cached_property
    def best(self) -> Plan:
        """The best known plan."""
        return best_known_plan(self.wave)

    def score(self, gain: int) -> float:
        """Return the score of a mean gain in cents, from 0 to 1.

        It rises linearly from 0 to `NAIVE_SCORE` for the best naive plan, and from there
        to 1 for the best known plan. If these earn 200 and 300 cents, 100 -> 0.35, 250 -> 0.85.
        """
        if gain <= 0:
            return 0.0
        # From here on the gain is positive.
        naive_gain = max(mean_gain(self.wave, plan) for plan in naive_plans(self.wave))
        best_gain = mean_gain(self.wave, self.best)
        if gain >= best_gain:
            return 1.0
        if gain > naive_gain:
            further = (1 - NAIVE_SCORE) * (gain - naive_gain) / (best_gain - naive_gain)
            return NAIVE_SCORE + further
        # The naive gain is at least `gain`, so it is positive, too.
        return NAIVE_SCORE * (gain / naive_gain)

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return the score of the plan in a message, and the outcome for its packages."""
        plan, faults = plan_of(message, self.wave)
        results = run_results(self.wave, plan)
        gain = sum(result.gain for result in results) // len(results)
        score = self.score(gain)
        explanation = _explanation(results, len(self.wave.packages), gain, score)
        return Measured(score, (*faults, *explanation))


def _explanation(
    results: Sequence[RunResult], packages: int, gain: int, score: float
) -> list[str]:
    """Return the outcome of a plan, averaged over its runs, as the public benchmark words it.

    `gain` is the mean gain in cents. The cost of invalid routes is always 0 here: a package
    with one counts as missed.
    """
    runs = len(results)
    missed = fsum(result.missed_packages for result in results) / runs
    late = fsum(result.late_packages for result in results) / runs
    margin = _mean_euros(result.margin_cents for result in results)
    transport = _mean_euros(result.transport_cents for result in results)
    late_cost = _mean_euros(result.late_cents for result in results)
    missed_cost = _mean_euros(result.missed_cents for result in results)
    highest_gain = max(result.gain for result in results)
    return [
        f"dispatch packages delivered avg {packages - missed:.1f} of {packages}",
        f"dispatch money made avg EUR {margin:.2f} delivered margin",
        f"dispatch packages missed avg {missed:.1f}; late avg {late:.1f}",
        f"dispatch costs/penalties avg EUR {transport:.2f} transport; "
        f"EUR {late_cost:.2f} late; EUR {missed_cost:.2f} missed; EUR 0.00 invalid",
        f"dispatch resulting gain avg EUR {gain / 100:.2f}; max EUR {highest_gain / 100:.2f}; "
        f"efficiency {score:.1%} "
        f"(the best known plan: 100 %, the best naive one: {NAIVE_SCORE:.0%})",
    ]


def _mean_euros(cents_by_run: Iterable[int]) -> float:
    """Return the mean of amounts in cents, one for each run, in euros."""
    cents = list(cents_by_run)
    return 0.01 * fsum(cents) / len(cents)
