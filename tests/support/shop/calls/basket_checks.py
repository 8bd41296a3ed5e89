"""The calls that look at a basket before anything is done to it: whose it is, and what it lacks.

A test makes each call in a generated shop, of which the truth is known, and compares:

    TrueCall("may_use", {"record": "basket-0412"}, is_right=..., refs=[])
    # right if the function's value is {"see": False, "change": False, "cite": False}

`task.truth.for_tests` names the basket, and `task.world.session` is who asks.
"""

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Stock
from tests.support.shop.calls.true_calls import TrueCall


def foreign_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a named basket, most often somebody else's.

    `who_asks` returns the asker, and `may_use(record="basket-0334")` what they may do with the
    basket: `{"see": false, "change": false, "cite": false, ...}`. An owner may do all three with
    their basket, and anybody else nothing.
    """
    session = task.world.session
    asker_kind = "guest" if "guest" in session.roles else "customer"
    yield TrueCall(
        function="who_asks",
        arguments={},
        is_right=lambda value: value["is"] == asker_kind,
        refs=[],
    )

    basket = task.world.baskets[task.truth.for_tests["id"]]
    is_own = basket.customer_id == session.user

    def has_right_permissions(value: dict[str, bool]) -> bool:
        permissions = [value["see"], value["change"], value["cite"]]
        return permissions == [is_own, is_own, is_own]

    yield TrueCall(
        function="may_use",
        arguments={"record": basket.id},
        is_right=has_right_permissions,
        refs=[task.world.path(basket)] if is_own else [],
    )


def checked_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that checks a basket before it is bought or discounted.

    `check_basket` returns its state, its sum, and the products of which the branch has too few:
    `{"state": "active", "is_open": true, "subtotal_cents": 28926, "short": ["VH-GDE-1"], ...}`.
    """
    inputs = task.truth.for_tests
    world = task.world
    basket = world.baskets[inputs.get("id") or inputs["basket"]]
    products = world.catalogue.products
    inventory = world.stores[basket.store_id].inventory
    short_skus: set[str] = set()
    for sku, count in basket.lines.items():
        available = inventory.get(sku, Stock(0, 0)).available
        if available < count and not products[sku].is_digital:
            short_skus.add(sku)

    def is_right(value: dict[str, Any]) -> bool:
        # "short" also has digital products without stock: the function cannot know if they need any.
        found_short = {sku for sku in value["short"] if not products[sku].is_digital}
        return (
            value["state"] == world.names.state(basket.status)
            and value["is_open"] == (basket.status == "active")
            and value["subtotal_cents"] == world.catalogue.price_of(basket.lines)
            and found_short == short_skus
        )

    yield TrueCall(
        function="check_basket",
        arguments={"basket": basket.id},
        is_right=is_right,
        refs=[world.path(basket)],
    )
