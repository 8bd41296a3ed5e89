"""The shop's functions find what the generator of a shop knows to be true about it.

A script may call a function such as `stock_at(products, branch)` instead of finding out by itself
which files have the stock of a branch. Every generated shop names its folders and fields
differently. A *family* is a kind of task; for "How many lamps has branch B?", of the family
`stock-count`, `CALLS_OF_FAMILY` has a call of `stock_at`, with the number that is right.
"""

import pytest

from controlplane.benchmarks.shop.declarations import SHOP_TOOLS
from tests.support.shop.calls.family_calls import CALLS_OF_FAMILY
from tests.support.shop.calls.true_calls import compare_with_truth
from tests.support.shop.generated_tasks import task_and_environment


@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
@pytest.mark.parametrize(
    ("profile", "names", "seed"),
    [
        pytest.param("prod", "own", 5, id="names of the code"),
        pytest.param("prod", "public", 1, id="names of the public shop"),
        pytest.param("hard", "random", 7, id="random names and long files"),
    ],
)
def test_functions_find_the_truth(
    family: str, profile: str, names: str, seed: int
) -> None:
    task, shop = task_and_environment(family, seed, names=names, profile=profile)

    for call in CALLS_OF_FAMILY[family](task):
        result = compare_with_truth(shop, call)
        assert result.verdict == "right", (task.instruction, call, result)


def test_every_function_is_compared_with_a_truth() -> None:
    """A function that no family of tasks calls would not be compared with any truth."""
    compared_functions = set()
    for family, calls_of_task in CALLS_OF_FAMILY.items():
        task, _ = task_and_environment(family, seed=1)
        for call in calls_of_task(task):
            compared_functions.add(call.function)

    assert compared_functions == {tool.name for tool in SHOP_TOOLS}
