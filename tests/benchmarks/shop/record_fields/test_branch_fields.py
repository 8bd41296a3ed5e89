"""The fields of a branch's stock and deliveries are recognized by their values.

Every shop names them differently. In `{"sku": "T-12", "on_hand": 4, "reserved": 1}`, the units on
hand are in the field that is larger in almost every row.
"""

from controlplane.benchmarks.shop.workspace.fields.delivery_fields import DeliveryFields
from controlplane.benchmarks.shop.workspace.fields.stock_fields import (
    StockFields,
    stock_fields,
)


def test_the_fields_of_a_branchs_stock_and_deliveries() -> None:
    """The record has the fields of the public shop benchmark, in the same order."""
    branch = {
        "id": "store-7",
        "name": "Veerhaven Noord",
        "is_open": True,
        "lat": 47.5,
        "inventory": [
            {"sku": "T-12", "on_hand": 4, "reserved": 1},
            {"sku": "T-21", "on_hand": 4, "reserved": 4},
            {
                "sku": "T-7",
                "on_hand": 0,
                "reserved": 0,
                "incoming": [{"quantity": 7, "arrival_in_days": 4}],
            },
        ],
    }
    days_on_the_page_on_stock = {"arrival_in_days"}

    fields = stock_fields(branch, marked=days_on_the_page_on_stock)

    assert fields == StockFields(
        rows="inventory",
        code="sku",
        on_hand="on_hand",
        reserved="reserved",
        deliveries=DeliveryFields(
            rows="incoming", quantity="quantity", days="arrival_in_days"
        ),
    )
