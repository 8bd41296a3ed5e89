"""The pre-call check objects to a discount that the shop's records or pages do not allow.

A script is about to run `/bin/discount basket-12 21 damaged emp-7`, with a percentage, a reason and
who gives it. The check says: "... 7 percent is the most". The shops are generated.
"""

import pytest

from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection_to_run, shop_of


@pytest.mark.parametrize(
    ("variant", "reason"),
    [
        pytest.param(
            "discount-limit: too much for a small basket",
            "percent is the most",
            id="too many percent",
        ),
        pytest.param(
            "discount-authority: asked by a customer",
            "not a member of staff",
            id="given by a customer",
        ),
        pytest.param(
            "discount-authority: role is missing",
            "none of the roles",
            id="given by an employee without the role",
        ),
    ],
)
def test_a_wrong_discount_is_objected_to(variant: str, reason: str) -> None:
    task = generate_variant(variant, "seed 1")
    asked = task.truth.for_tests

    text = objection_to_run(
        shop_of(task),
        "discount",
        asked["basket"],
        asked["percent"],
        asked["reason"],
        asked["issuer"],
    )

    assert reason in text
