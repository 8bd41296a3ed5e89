"""The pre-call check objects to a checkout that the shop's records or pages do not allow.

The customer asks for a checkout of basket-12, and a script is about to run `/bin/checkout basket-12`.
The check looks at the run before it happens: "basket-12 is `abandoned`, and not `active`". The shops are
generated.
"""

import re

import pytest

from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection_to_run, shop_of


@pytest.mark.parametrize(
    ("variant", "reason_pattern"),
    [
        pytest.param(
            "basket-checkout: one line is short",
            r"line 1 of basket-\d+ asks for \d+ of \S+, and \S+ has \d+ available today",
            id="too few units in stock",
        ),
        pytest.param(
            "basket-checkout: not active",
            r"basket-\d+ is `\w+`, and not `active`",
            id="another status",
        ),
        pytest.param(
            "foreign-basket: checkout of a foreign one",
            r"the basket basket-\d+ does not belong to whoever is signed in",
            id="another customer's basket",
        ),
    ],
)
def test_a_wrong_checkout_is_objected_to(variant: str, reason_pattern: str) -> None:
    task = generate_variant(variant, seed="seed 1")
    basket_id = task.truth.for_tests["id"]

    objection = objection_to_run(shop_of(task), "checkout", basket_id)

    assert re.search(reason_pattern, objection), objection
