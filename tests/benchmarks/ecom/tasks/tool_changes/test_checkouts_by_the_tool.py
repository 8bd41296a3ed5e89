"""A checkout scores one if it was made by one successful run of the shop's tool for it.

The task asks for the checkout of basket-4. The tool `/bin/checkout basket-4` writes the status
`checked_out` into the basket's file. `grade` compares what was run and changed with the task.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.gates.submission import OK
from tests.benchmarks.ecom.tasks.tool_changes.checked_out_basket import (
    CHECKOUT,
    check_out,
)


def test_a_checkout_by_the_tool_scores_one(shop: EcomEnvironment) -> None:
    check_out(shop)
    shop.answer("Done.", OK, [])

    assert grade(CHECKOUT, shop).score == 1.0


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("--help", id="the tool's help"),
        pytest.param("none", id="a basket that does not exist"),
    ],
)
def test_a_run_before_that_changes_nothing_does_not_matter(
    shop: EcomEnvironment, argument: str
) -> None:
    check_out(shop, argument)
    check_out(shop)
    shop.answer("Done.", OK, [])

    assert grade(CHECKOUT, shop).score == 1.0
