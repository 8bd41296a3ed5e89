"""The records of a world hang together."""

from __future__ import annotations

import pytest

from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.world.sample_worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS[:10])
def test_payments_and_returns_hang_together(world: World) -> None:
    for payment in world.payments.values():
        basket = world.baskets[payment.basket_id]
        assert (payment.customer_id, payment.store_id) == (basket.customer_id, basket.store_id)
        assert payment.amount_cents == world.subtotal(basket)
    returned = [each.payment_id for each in world.returns.values()]
    assert len(returned) == len(set(returned))
    assert set(returned) <= set(world.payments)
