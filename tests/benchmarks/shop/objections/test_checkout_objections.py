"""`/bin/checkout BASKET` buys a basket. The pre-call check objects if too little of it is in stock.

    basket-4 has 4 of TARP-SAND, and the branch 2:   "... store-1 has 2 available today ..."

Without the check, the tool might buy it all the same, or fail with less to say.
"""

from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.functions.goods_records import basket, branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop

CHECKOUT_PAGE = (
    "Run `/bin/checkout <basket_id>` for an `active` basket of the `customer_id`.\n"
)


def test_a_basket_with_enough_stock_may_be_bought() -> None:
    shop = written_shop(
        {
            "/docs/checkout.md": CHECKOUT_PAGE,
            "/proc/carts/basket-4.json": basket("basket-4", {"TARP-SAND": 2}),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": branch("store-1", "Graz", {"TARP-SAND": 2}),
        }
    )

    assert objection_to_run(shop, "checkout", "basket-4") == ""


def test_a_basket_with_too_little_stock_is_objected_to() -> None:
    shop = written_shop(
        {
            "/docs/checkout.md": CHECKOUT_PAGE,
            "/proc/carts/basket-4.json": basket("basket-4", {"TARP-SAND": 4}),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": branch("store-1", "Graz", {"TARP-SAND": 2}),
        }
    )

    assert objection_to_run(shop, "checkout", "basket-4") == (
        "`/bin/checkout basket-4` was not sent. "
        "line 1 of basket-4 asks for 4 of TARP-SAND, and store-1 has 2 available today "
        "(see /proc/carts/basket-4.json and /docs/checkout.md). "
        "If the call is right, make the same call again."
    )
