"""The shop's functions find what is true about a shop, in many generated shops.

A script may call a function such as `stock_at(products, branch)` instead of finding out by itself
which files have the stock of a branch. Every generated shop names its folders and fields
differently. A *family* is a kind of task, and `CALLS_OF_FAMILY` has the calls for it, each with the result
that is right.
"""

import pytest

from tests.support.shop.calls.family_calls import CALLS_OF_FAMILY
from tests.support.shop.calls.true_calls import compare_with_truth
from tests.support.shop.generated_tasks import task_and_environment

SEEDS_TO_WORK_WITH = [seed for seed in (5, *range(11, 60, 2)) if seed % 3 != 0]
"""Odd seeds that 3 does not divide: 5, 11, 13, 17 and so on.

Shops with the other odd seeds measure how well the functions work, so nobody looks at them while
writing the functions.
"""


@pytest.mark.heavy
@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
@pytest.mark.parametrize(
    ("profile", "names"),
    [("prod", "own"), ("prod", "public"), ("hard", "random"), ("dev", "random")],
)
def test_functions_find_the_truth_in_many_shops(
    family: str, profile: str, names: str
) -> None:
    for seed in SEEDS_TO_WORK_WITH:
        task, shop = task_and_environment(family, seed, names=names, profile=profile)
        for call in CALLS_OF_FAMILY[family](task):
            result = compare_with_truth(shop, call)
            assert result.verdict == "right", (task.instruction, call, result)
