"""How often several tries in the same world pass.

*pass@k* (of the HumanEval paper) is the chance that at least one of k tries passes, and *pass^k*
(of tau-bench) the chance that all k do. Both are estimated from n tries of which c have passed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.score_statistics import Interval, wilson_interval

PASSED: Final = 1.0
"""A try with at least this score has passed."""


@dataclass(frozen=True, slots=True)
class PassRates:
    """The pass rates of k tries in the same world, as means over the worlds."""

    k: int
    at_least_one: Interval
    """pass@k: the chance that at least one of k tries passes."""
    every_one: Interval
    """pass^k: the chance that all k tries pass."""


def _pass_at_k(n: int, c: int, k: int) -> float:
    """Return the chance that at least one of k tries passes, if c of n tries have passed.

    This is the unbiased estimator of Chen et al., Evaluating Large Language Models
    Trained on Code (2021):

        pass@k = 1 - C(n - c, k) / C(n, k)
    """
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def _pass_hat_k(n: int, c: int, k: int) -> float:
    """Return the chance that all of k tries pass, if c of n tries have passed.

    This is the unbiased estimator of Yao et al., tau-bench (2024):

        pass^k = C(c, k) / C(n, k)
    """
    return math.comb(c, k) / math.comb(n, k)


def pass_rates(scores: Mapping[str, Sequence[float]]) -> tuple[PassRates, ...]:
    """Return pass@k and pass^k with intervals over the worlds, given the scores of each world.

    pass@k is the chance that at least one of k tries passes, pass^k that all of them do. Empty if a world has only one try.
    """
    fewest_tries = min((len(tries) for tries in scores.values()), default=0)
    if fewest_tries < 2:
        return ()
    # No world has rates for more tries than it had, so k goes up to the fewest tries of a world.
    ks = {1, fewest_tries}
    for k in (2, 4, 8, 16):
        if k < fewest_tries:
            ks.add(k)

    rates = []
    for k in sorted(ks):
        at_least_one = []
        every_one = []
        for tries in scores.values():
            n = len(tries)
            c = sum(score >= PASSED for score in tries)
            at_least_one.append(_pass_at_k(n, c, k))
            every_one.append(_pass_hat_k(n, c, k))
        rates.append(
            PassRates(k, wilson_interval(at_least_one), wilson_interval(every_one))
        )
    return tuple(rates)


def flickering(scores: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Return the worlds in which some tries passed and others failed, given the scores of each."""
    worlds = []
    for world, tries in scores.items():
        passed = [score >= PASSED for score in tries]
        if any(passed) and not all(passed):
            worlds.append(world)
    return tuple(worlds)
