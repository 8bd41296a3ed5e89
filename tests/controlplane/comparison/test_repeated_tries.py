"""pass@k and pass^k against counting every choice of k tries."""

from itertools import combinations

import pytest

from controlplane.comparison.repeated_tries import flickering, pass_rates

TRIES = {"a": [1.0, 0.0, 1.0, 0.0], "b": [1.0, 1.0, 1.0, 1.0], "c": [0.5, 0.0, 0.0, 1.0]}


@pytest.mark.parametrize("k", [1, 2, 4])
def test_rates_are_those_of_every_choice_of_k_tries(k: int) -> None:
    (found,) = [each for each in pass_rates(TRIES) if each.k == k]
    choices = {task: list(combinations([score >= 1 for score in each], k)) for task, each in TRIES.items()}
    one = sum(sum(map(any, each)) / len(each) for each in choices.values()) / 3
    every = sum(sum(map(all, each)) / len(each) for each in choices.values()) / 3
    assert found.at_least_one.mean == pytest.approx(one)
    assert found.every_one.mean == pytest.approx(every)
    assert found.every_one.low <= found.every_one.mean <= found.every_one.high


def test_a_task_flickers_if_some_tries_pass() -> None:
    assert flickering(TRIES) == ("a", "c")


def test_without_repeats_there_are_no_rates() -> None:
    assert pass_rates({"a": [1.0], "b": [1.0, 0.0]}) == ()
    assert pass_rates({}) == ()
