"""The pre-call check objects to a discount by somebody who may not give discounts.

`/bin/discount BASKET PERCENT REASON ISSUER` gives a discount. By the shop's page on discounts, only an
employee with the role `pricing` may run it.
"""

from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.objections.discounts.discount_shops import discount_shop


def test_a_discount_by_a_customer_is_objected_to() -> None:
    shop = discount_shop("cust-7", "customer", cents=21_000)

    text = objection_to_run(shop, "discount", "basket-4", "4", "price_promise", "emp-4")

    assert "cust-7 is not a member of staff" in text


def test_a_discount_by_an_employee_without_the_role_is_objected_to() -> None:
    shop = discount_shop("emp-7", "employee", cents=21_000)

    text = objection_to_run(shop, "discount", "basket-4", "4", "price_promise", "emp-7")

    assert "emp-7 has none of the roles pricing" in text
