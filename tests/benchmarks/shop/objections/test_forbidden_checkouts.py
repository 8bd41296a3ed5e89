"""`/bin/checkout BASKET` buys a basket. The pre-call check objects if the customer may not buy it.

That is so if the basket is another customer's, or has another status than `active`. The customer
`cust-7` is signed in.
"""

from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.functions.goods_records import basket
from tests.benchmarks.shop.functions.written_shop import written_shop

CHECKOUT_PAGE = (
    "Run `/bin/checkout <basket_id>` for an `active` basket of the `customer_id`.\n"
)


def test_a_basket_that_is_not_active_is_objected_to() -> None:
    abandoned_basket = basket("basket-4", {}) | {"status": "abandoned"}
    shop = written_shop(
        {
            "/docs/checkout.md": CHECKOUT_PAGE,
            "/proc/carts/basket-4.json": abandoned_basket,
        }
    )

    objection = objection_to_run(shop, "checkout", "basket-4")

    assert "basket-4 is `abandoned`, and not `active`" in objection


def test_another_customers_basket_is_objected_to() -> None:
    foreign_basket = basket("basket-4", {}) | {"customer_id": "cust-21"}
    shop = written_shop(
        {
            "/docs/checkout.md": CHECKOUT_PAGE,
            "/proc/carts/basket-4.json": foreign_basket,
        }
    )

    objection = objection_to_run(shop, "checkout", "basket-4")

    assert "the basket basket-4 does not belong to whoever is signed in" in objection
