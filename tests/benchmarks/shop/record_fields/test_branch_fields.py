"""The fields of a branch's stock and deliveries are recognized, since every shop names them differently.

The units on hand are in the field that is larger in almost every row. The days until a delivery
are in a field that the shop's page on stock names in backticks.
"""

from controlplane.benchmarks.shop.workspace.fields.stock_fields import (
    DeliveryFields,
    StockFields,
    stock_fields,
)


def test_the_fields_of_a_branchs_stock_and_deliveries() -> None:
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
    # "Deliveries with an `arrival_in_days` of at most 7 count as stock."
    words_in_backticks = {"arrival_in_days"}

    fields = stock_fields(branch, marked=words_in_backticks)

    assert fields == StockFields(
        rows="inventory",
        code="sku",
        on_hand="on_hand",
        reserved="reserved",
        deliveries=DeliveryFields(
            rows="incoming", quantity="quantity", days="arrival_in_days"
        ),
    )
