"""Tables that requests name."""

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import WorldSettings, generate
from sandbox.interface import CallError
from tests.support.shop_findings import found


def world(roles=("employee",)):
    """A world in which one customer has paid in one city after another, minutes apart."""
    shop = generate("1", WorldSettings(names="random"))
    shop.roles = roles
    payments = list(shop.payments.values())[:6]
    stores = list({store.city: store for store in shop.stores.values()}.values())
    for at, payment in enumerate(payments):
        payment.customer_id, payment.store_id = payments[0].customer_id, stores[at % len(stores)].id
        payment.created_at = shop.ago(days=90, minutes=10 - at * 0.8)
    return EcomEnvironment(shop.workspace()), [shop.path(each) for each in payments]


def test_a_burst_over_cities_is_found_in_the_shops_own_payments():
    environment, paths = world()
    finding, _ = found(environment, "fraud_rows")
    assert sorted(ref["path"] for ref in finding["refs"]) == sorted(paths)
    assert finding["value"]["total"].startswith("EUR ")


def test_nobody_from_outside_is_told():
    environment, _ = world(roles=("customer",))
    with pytest.raises(CallError, match="only staff"):
        found(environment, "fraud_rows")
