"""A script may add lines to a basket by writing its file. Other changes are objected to.

The pre-call check looks at each call that would change something, before it is made. What it returns
is a text for the model, which is empty if nothing speaks against the call.
"""

import json
from typing import Any

from controlplane.benchmarks.shop.pre_call_check import pre_call_check
from tests.benchmarks.shop.small_shop import SmallShop, basket, product

OLD_LINE = {"sku": "AB-1", "quantity": 1}


def objection(operation: str, **arguments: Any) -> str:
    """Return the objection to a call in a shop with the basket /proc/carts/basket_21.json."""
    shop = SmallShop(
        {
            "/AGENTS.MD": "Records are in /proc.",
            "/docs/checkout.md": "`/bin/checkout` buys a basket that is `open`.",
            "/proc/articles/AB-1.json": product("AB-1"),
            "/proc/articles/AB-2.json": product("AB-2"),
            "/proc/carts/basket_21.json": basket("basket_21", customer="cust_7"),
        },
        user="cust_7",
        roles="customer",
    )
    return pre_call_check(shop.layout, operation, arguments).value


def objection_to_edit(**changed_fields: Any) -> str:
    """Return the objection to a write of the basket with these fields changed."""
    edited_basket = basket("basket_21", customer="cust_7") | changed_fields
    return objection(
        "write", path="/proc/carts/basket_21.json", content=json.dumps(edited_basket)
    )


def test_a_new_line_is_not_objected_to() -> None:
    assert objection_to_edit(lines=[OLD_LINE, {"sku": "AB-2", "quantity": 1}]) == ""


def test_a_new_line_for_an_unknown_product_is_objected_to() -> None:
    text = objection_to_edit(lines=[OLD_LINE, {"sku": "AB-9", "quantity": 1}])

    assert "no product is called AB-9" in text


def test_an_edit_of_another_field_than_the_lines_is_objected_to() -> None:
    """A discount is given by the tool `/bin/discount`."""
    text = objection_to_edit(discount={"percent": 5})

    assert "the edit changes `discount` as well as `lines`" in text


def test_a_deletion_of_a_basket_is_objected_to() -> None:
    text = objection("delete", path="/proc/carts/basket_21.json")

    assert "no page says that a basket record may be deleted" in text
