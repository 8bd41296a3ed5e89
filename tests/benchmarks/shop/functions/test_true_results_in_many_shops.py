"""The shop's functions find what is true about a shop, in many generated shops.

A script may call a function such as `stock_at(products, branch)` instead of finding out by itself
which files have the stock of a branch. A *family* is a kind of task, and `CALLS_OF_FAMILY` has the
calls that help with it, each with the result that is right.

A shop has a profile, which says how hard it is, and names for its folders and fields: its own,
those of the public shop benchmark, or random ones. The four kinds of shops have each profile and
each set of names.
"""

import pytest

from tests.support.shop.calls.family_calls import CALLS_OF_FAMILY
from tests.support.shop.calls.true_calls import compare_with_truth
from tests.support.shop.generated_tasks import task_and_environment

SEEDS_TO_WORK_WITH = [
    *(5, 11, 13, 17, 19, 23, 25, 29, 31),
    *(35, 37, 41, 43, 47, 49, 53, 55, 59),
]
"""Seeds of shops that one may look at while writing the functions.

Other odd seeds, such as 7 and 21, measure how well the functions work in unknown shops.
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
            result = compare_with_truth(shop, call)  # makes the call
            assert result.verdict == "right", (task.instruction, call, result)
