"""The files of the small shop that the sandbox's tests run scripts in.

A script reads them by calls: `harness.read("/AGENTS.MD").content` is "Answer in one line.\\n". The
shop has two carts with a payment for each, two pages of rules, and a table of its stock.
"""

import json

# The records of a small shop: two carts, and a payment for each.
_CART_B7 = {
    "id": "b7",
    "status": "open",
    "lines": [
        {"sku": "x", "qty": 2, "price": 9.5},
        {"sku": "y", "qty": 1, "price": 4.25},
    ],
}

_CART_B9 = {
    "id": "b9",
    "status": "open",
    "lines": [{"sku": "z", "qty": 3, "price": 1.0}],
}

_PAYMENT_OF_B7 = {
    "id": "p1",
    "cart": "b7",
    "amount": 23.25,
    "status": "paid",
    "at": "2026-03-01T10:00:00+00:00",
}

_PAYMENT_OF_B9 = {
    "id": "p2",
    "cart": "b9",
    "amount": 4.0,
    "status": "failed",
    "at": "2026-03-05T09:30:00+00:00",
}

# Percentages are written as pages of shops write them: with and without a blank.
FILES = {
    "/AGENTS.MD": "Answer in one line.\n",
    "/docs/checkout.md": "# Checkout\nStock must be there the same day.\nNo refund after 14 days.\n",
    "/docs/discounts.md": "Clerk may give up to 5 % off.\nManager may give up to 20% off. A refund is no discount.\n",
    "/proc/carts/c1/b7.json": json.dumps(_CART_B7),
    "/proc/carts/c2/b9.json": json.dumps(_CART_B9),
    "/proc/payments/p1.json": json.dumps(_PAYMENT_OF_B7),
    "/proc/payments/p2.json": json.dumps(_PAYMENT_OF_B9),
    "/uploads/stock.csv": "sku,qty,price\nx,10,9.50\ny,3,4.25\nz,40,12.00\n",
}
"""The files of the small world, a shop: path and text."""
