"""Payments and returns of a generated shop fit the baskets that they are for.

A basket was bought by a customer at a branch. Its payment has the same customer and branch, and
its price. A return gives back the goods of one payment.
"""

import pytest

from controlplane.benchmarks.ecom.world.world import World
from tests.benchmarks.ecom.world.generated_worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS)
def test_payments_and_returns_fit_the_baskets_that_they_are_for(world: World) -> None:
    for payment in world.payments.values():
        basket = world.baskets[payment.basket_id]
        assert payment.customer_id == basket.customer_id
        assert payment.store_id == basket.store_id
        assert payment.amount_cents == world.catalogue.price_of(basket.lines)

    returned_payments = [returned.payment_id for returned in world.returns.values()]
    assert len(set(returned_payments)) == len(returned_payments)
    for payment_id in returned_payments:
        assert payment_id in world.payments
