import math
import random
from itertools import combinations, product

import pytest

from controlplane.comparison.resampling import (
    bootstrap_interval,
    mean_interval,
    pass_rates,
    sign_flip_p,
    tries_needed,
)


@pytest.mark.parametrize(
    ("passed", "count", "low", "high"),
    # Wilson's interval for 8 of 10, 10 of 10 and 0 of 10, as tables give it.
    [(8, 10, 0.4902, 0.9433), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775)],
)
def test_a_share_has_wilsons_interval(passed: int, count: int, low: float, high: float) -> None:
    found = mean_interval([1.0] * passed + [0.0] * (count - passed))
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_a_bootstrap_is_as_wide_as_theory_says_and_the_same_every_time() -> None:
    chance = random.Random(1)
    values = [chance.gauss(0.5, 0.1) for _ in range(400)]
    found = bootstrap_interval(values)
    assert found is not None
    error = 0.1 / math.sqrt(400)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.15)
    assert found.low < found.mean < found.high
    assert found == bootstrap_interval(values)
    assert bootstrap_interval([]) is None


@pytest.mark.parametrize(
    "differences", [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, 0.5], [0.25, 0.5, -1.0, 0.75, 0.1, 0.0], [0.0, 0.0], []]
)
def test_the_exact_test_counts_every_flip(differences: list[float]) -> None:
    observed = abs(sum(differences)) - 1e-9
    flips = list(product((1, -1), repeat=len(differences)))
    far = sum(
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True))) >= observed for signs in flips
    )
    assert sign_flip_p(differences) == pytest.approx(far / len(flips))


def test_where_flips_are_too_many_to_count_a_sample_comes_near() -> None:
    chance = random.Random(2)
    differences = [chance.gauss(0.2, 1) for _ in range(80)]
    mean = sum(differences) / 80
    normal = math.erfc(
        abs(mean) / math.sqrt(sum(difference * difference for difference in differences)) * 80 / math.sqrt(2)
    )
    assert sign_flip_p(differences) == pytest.approx(normal, abs=0.02)


def test_so_many_tries_do_show_the_difference() -> None:
    chance, tasks, rise = random.Random(3), 40, 0.1

    def differences(tries: int) -> list[float]:
        return [
            sum((chance.random() < 0.5 + rise) - (chance.random() < 0.5) for _ in range(tries)) / tries
            for _ in range(tasks)
        ]

    needed = math.ceil(((1.96 + 0.8416) / rise) ** 2 * (0.24 + 0.25) / tasks)
    estimates = [tries_needed([one + rise - sum(found) / tasks for one in found], 4) for found in [differences(4)]]
    assert estimates[0] == pytest.approx(needed, rel=0.5)
    shown = sum(sign_flip_p(differences(needed)) < 0.05 for _ in range(30))
    assert 17 <= shown <= 30


TRIES = {"a": [1.0, 0.0, 1.0, 0.0], "b": [1.0, 1.0, 1.0, 1.0], "c": [0.5, 0.0, 0.0, 1.0]}


@pytest.mark.parametrize("k", [1, 2, 4])
def test_rates_are_those_of_every_choice_of_k_tries(k: int) -> None:
    (found,) = [rate for rate in pass_rates(TRIES) if rate.k == k]
    choices = {task: list(combinations([score >= 1 for score in each], k)) for task, each in TRIES.items()}
    one = sum(sum(map(any, choice)) / len(choice) for choice in choices.values()) / 3
    every = sum(sum(map(all, choice)) / len(choice) for choice in choices.values()) / 3
    assert found.at_least_one.mean == pytest.approx(one)
    assert found.every_one.mean == pytest.approx(every)
    assert found.every_one.low <= found.every_one.mean <= found.every_one.high
