"""A script may add lines to a basket by writing its file. Other changes are objected to.

The pre-call check looks at each call that would change something, before it is made. What it returns
is a text for the model, which is empty if nothing speaks against the call.
"""

import json
from typing import Any

from tests.benchmarks.shop.checked_calls import objection
from tests.benchmarks.shop.functions.goods_records import basket, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop

OLD_LINE = {"sku": "TARP-SAND", "quantity": 1}


def objection_to_call(operation: str, **arguments: str) -> str:
    """Return the objection to a call in a shop with basket-4, which has one line."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/catalogue/TARP-RED.json": tarp("TARP-RED"),
            "/proc/carts/basket-4.json": basket("basket-4", {"TARP-SAND": 1}),
        }
    )
    return objection(shop, operation, arguments)


def objection_to_edit(**changed_fields: Any) -> str:
    """Return the objection to a write of basket-4 with these fields changed."""
    edited_basket = basket("basket-4", {"TARP-SAND": 1}) | changed_fields
    return objection_to_call(
        "write", path="/proc/carts/basket-4.json", content=json.dumps(edited_basket)
    )


def test_a_new_line_is_not_objected_to() -> None:
    assert objection_to_edit(lines=[OLD_LINE, {"sku": "TARP-RED", "quantity": 1}]) == ""


def test_a_new_line_for_an_unknown_product_is_objected_to() -> None:
    text = objection_to_edit(lines=[OLD_LINE, {"sku": "TARP-NONE", "quantity": 1}])

    assert "no product is called TARP-NONE" in text


def test_an_edit_of_another_field_than_the_lines_is_objected_to() -> None:
    """A discount is given by the tool `/bin/discount`."""
    text = objection_to_edit(discount={"percent": 5})

    assert "the edit changes `discount` as well as `lines`" in text


def test_a_deletion_of_a_basket_is_objected_to() -> None:
    text = objection_to_call("delete", path="/proc/carts/basket-4.json")

    assert "no page says that a basket record may be deleted" in text
