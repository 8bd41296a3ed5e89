"""The call that looks at a basket before it is bought or discounted: is it open, what does it lack?

A test makes the call in a generated shop, of which the truth is known, and compares:

    TrueCall("check_basket", {"basket": "basket-0412"}, is_right=..., refs=[...])
    # right if the function's value is {"state": "active", "short": ["VH-GDE-1"], ...}
"""

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Stock
from tests.support.shop.calls.true_calls import TrueCall


def checked_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that checks a basket before it is bought or discounted.

    `check_basket` returns its state, its sum, and the products of which the branch has too few:
    `{"state": "active", "is_open": true, "subtotal_cents": 28926, "short": ["VH-GDE-1"], ...}`.
    """
    inputs = task.truth.for_tests
    world = task.world
    # For tasks of discounts, "basket" is the id. For checkouts it is a path, and "id" is the id.
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
            # Each shop has its own words for states: "active" is "open" in some.
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
