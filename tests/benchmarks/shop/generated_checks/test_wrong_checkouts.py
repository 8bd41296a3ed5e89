"""The pre-call check objects to a checkout that the shop's records or pages do not allow.

The customer asks for it, and a script is about to run `/bin/checkout basket-12` all the same. The
check says: "the basket basket-12 does not belong to whoever is ...". The shops are generated; the
modules in `objections` show each reason by a shop of a few written files.
"""

import pytest

from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection_to_run, shop_of


@pytest.mark.parametrize(
    ("variant", "reason"),
    [
        pytest.param(
            "basket-checkout: one line is short",
            "available today",
            id="too few units in stock",
        ),
        pytest.param("basket-checkout: not active", " and not `", id="another status"),
        pytest.param(
            "foreign-basket: checkout of a foreign one",
            "does not belong",
            id="another customer's basket",
        ),
    ],
)
def test_a_wrong_checkout_is_objected_to(variant: str, reason: str) -> None:
    task = generate_variant(variant, "seed 1")
    basket_id = task.truth.for_tests["id"]

    text = objection_to_run(shop_of(task), "checkout", basket_id)

    assert reason in text
