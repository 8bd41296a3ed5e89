"""Records of goods in a shop that a test writes: products, branches with their stock, and baskets.

tarp("TARP-SAND", colour="sand")                        # a product
branch("store-1", "Utrecht Canal", {"TARP-SAND": 4})    # has 4 of it
basket("basket-4", {"TARP-SAND": 2})                    # 2 of it, chosen by cust-7
"""

from collections.abc import Mapping
from typing import Any


def tarp(
    sku: str, *, brand: str = "Osier", cents: int = 7000, **properties: Any
) -> dict[str, Any]:
    """Return the record of a product: a tarp in the line Lea of a brand.

    `tarp("TARP-SAND", colour="sand")` -> `{"sku": "TARP-SAND", "name": "Osier Lea tarp", ...}`
    """
    return {
        "sku": sku,
        "name": f"{brand} Lea tarp",
        "brand": brand,
        "kind_id": "kind-tarps",
        "family_id": "fam-lea",
        "price_cents": cents,
        "properties": properties,
    }


def branch(branch_id: str, name: str, stock: Mapping[str, int]) -> dict[str, Any]:
    """Return the record of a branch, with its units by product. A name begins with the city.

    `branch("store-1", "Utrecht Canal", {"TARP-SAND": 4})` ->
    `{"id": "store-1", "name": "Utrecht Canal", "city": "Utrecht", "inventory": [...], ...}`
    """
    inventory = []
    for sku, units in stock.items():
        inventory.append({"sku": sku, "on_hand": units, "reserved": 0})
    city, _, _ = name.partition(" ")
    return {
        "id": branch_id,
        "name": name,
        "city": city,
        "is_open": True,
        "inventory": inventory,
    }


def basket(basket_id: str, quantities: Mapping[str, int]) -> dict[str, Any]:
    """Return the record of a basket of `cust-7` at `store-1`, with its quantities by product.

    `basket("basket-4", {"TARP-SAND": 2})` -> `{"id": "basket-4", "customer_id": "cust-7", ...}`
    """
    lines = []
    for sku, quantity in quantities.items():
        lines.append({"sku": sku, "quantity": quantity})
    return {
        "id": basket_id,
        "customer_id": "cust-7",
        "store_id": "store-1",
        "status": "active",
        "created_at": "2028-04-25T16:12:03Z",
        "lines": lines,
    }
