"""The fields of a basket's lines are recognized by their values: the products, and how many of each.

Every shop names them differently. Here they are `{"sku": "T-12", "quantity": 4}`.
"""

from controlplane.benchmarks.shop.workspace.fields.basket_fields import (
    LineFields,
    line_fields,
)


def test_the_fields_of_a_baskets_lines() -> None:
    """The record has the fields of the public shop benchmark, in the same order."""
    basket = {
        "id": "basket-7",
        "customer_id": "cust-4",
        "store_id": "store-7",
        "status": "active",
        "created_at": "2027-03-04T10:20:30Z",
        "lines": [{"sku": "T-12", "quantity": 4}],
    }

    fields = line_fields([basket])

    assert fields == LineFields(lines="lines", code="sku", quantity="quantity")
