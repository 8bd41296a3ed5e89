"""The preflight adds up the stock of a city's branches, and tells the model the sum.

    request            "Across every Graz branch, how many units of product (AB-1) are there?"
    told to the model  "all branches of Graz together have 7 units of AB-1 available: 7."

The preflight is the code that looks at a request before a model is asked.
"""

import pytest

from controlplane.benchmarks.shop.preflight import tell_city_stock
from tests.benchmarks.shop.small_shop import SmallShop, basket, product


def branch(name: str, city: str, *stock: dict[str, object]) -> dict[str, object]:
    """Return the record of a branch with this stock: `{"sku": "AB-1", "on_hand": 4, ...}`."""
    return {"name": name, "city": city, "is_open": True, "stock": list(stock)}


def told_to_model(request: str) -> str:
    """Return what the model of a shop with three branches is told; empty if nothing.

    Of AB-1, the branches of Graz can sell 4 and 3 units, and that of Linz 20. Of AB-2 all units in
    Graz are reserved.
    """
    shop = SmallShop(
        {
            "/AGENTS.MD": "Records are in /proc.",
            "/docs/stock.md": "`/bin/availability` tells the stock.",
            "/proc/articles/AB-1.json": product("AB-1"),
            "/proc/articles/AB-2.json": product("AB-2"),
            "/proc/carts/basket_21.json": basket("basket_21", customer="cust_7"),
            "/proc/branches/store_1.json": branch(
                "Graz Centre",
                "Graz",
                {"sku": "AB-1", "on_hand": 5, "reserved": 1},
                {"sku": "AB-2", "on_hand": 2, "reserved": 2},
            ),
            "/proc/branches/store_2.json": branch(
                "Graz Lend", "Graz", {"sku": "AB-1", "on_hand": 3, "reserved": 0}
            ),
            "/proc/branches/store_3.json": branch(
                "Linz Harbour", "Linz", {"sku": "AB-1", "on_hand": 20, "reserved": 0}
            ),
        },
        user="emp_0001",
        roles="employee",
    )
    value = tell_city_stock(shop.layout, request, intent="{}").value
    return str(value.get("context", ""))


@pytest.mark.parametrize(
    ("request_text", "notice"),
    [
        pytest.param(
            "Across every Graz branch, how many units of product (AB-1) are there?",
            "all branches of Graz together have 7 units of AB-1 available: 7.",
            id="in any form",
        ),
        pytest.param(
            "Across every Graz branch, how many units of product (AB-1) are there? "
            'Say "count: %d".',
            "all branches of Graz together have 7 units of AB-1 available: count: 7.",
            id="in the requested form",
        ),
        pytest.param(
            "Across every Graz branch, how many units of product (AB-2) are there?",
            "all branches of Graz together have 0 units of AB-2 available: 0.",
            id="nothing that can be sold",
        ),
    ],
)
def test_the_model_is_told_the_stock_of_a_city(request_text: str, notice: str) -> None:
    assert notice in told_to_model(request_text)


def test_the_model_is_told_no_stock_if_the_request_names_no_product_and_no_city() -> (
    None
):
    assert told_to_model("How many units does every branch have?") == ""
