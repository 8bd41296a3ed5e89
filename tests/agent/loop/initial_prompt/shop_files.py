"""The files of a small invented shop: carts, items and payments as records, and documents on them.

The record of cart-1, `/data/carts/cart-1.json`, has the item ITEM-A-1, and the payment pay-9 is for it.
"""

import json

from controlplane.sandbox.interface import Plain


def record_text(**fields: Plain) -> str:
    """Return the text of a record: `record_text(id="cart-1")` -> `{"id": "cart-1"}` in lines."""
    return json.dumps(fields, indent=2) + "\n"


SHOP_FILES = {
    "/RULES.md": (
        "Carts: /docs/carts.md\n"
        "What no document tells is not done here, and what one forbids is refused.\n"
    ),
    "/docs/carts.md": "# Carts\nA cart is checked out once.",
    "/docs/lore.md": "# Lore\nThe harbour, long ago.",
    "/data/carts/cart-1.json": record_text(
        id="cart-1", owner="cust-1", item="ITEM-A-1"
    ),
    "/data/carts/cart-2.json": record_text(
        id="cart-2", owner="cust-2", item="ITEM-B-2"
    ),
    "/data/items/ITEM-A-1.json": record_text(sku="ITEM-A-1", price=3),
    "/data/items/ITEM-B-2.json": record_text(sku="ITEM-B-2", price=4),
    "/data/paid/pay-9.json": record_text(id="pay-9", cart="cart-1"),
    "/data/paid/pay-8.json": record_text(id="pay-8", cart="cart-2"),
    "/data/staff/emp-5.json": record_text(id="emp-5", note="n" * 500),
}
