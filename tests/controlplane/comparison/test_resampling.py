import math
import random
from itertools import combinations

import pytest

from controlplane.comparison.resampling import (
    bootstrap_interval,
    mean_interval,
    pass_rates,
    sample_size,
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


@pytest.mark.parametrize(("spread", "tries_suffice"), [(0.0, True), (0.5, False)])
def test_so_many_tries_or_tasks_show_the_difference(spread: float, tries_suffice: bool) -> None:
    chance, tasks, rise = random.Random(3), 1000, 0.02

    def differences(tasks: int, tries: int) -> list[float]:
        shifts = [rise + chance.choice((-spread, spread)) for _ in range(tasks)]
        noise = 0.7 / math.sqrt(tries)
        return [shift + chance.gauss(0, noise) for shift in shifts]

    observed = differences(tasks, 4)
    centred = [one + rise - sum(observed) / tasks for one in observed]
    size = sample_size(centred, 4, 0.49 / 4)
    assert size is not None
    # Of a mean of n independent differences with this variance, (1.96 + 0.8416) standard errors show it.
    wanted = (rise / (1.96 + 0.8416)) ** 2
    assert size.tasks == pytest.approx((spread**2 + 0.49 / 4) / wanted, rel=0.5)
    assert (size.tries is not None) == tries_suffice
    if size.tries is not None:
        assert size.tries == pytest.approx(0.49 / (tasks * wanted), rel=0.3)
    assert sample_size([0.0, 0.0], 4, None) is None


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
