"""`/bin/discount BASKET PERCENT REASON ISSUER` gives a discount in the name of an employee.

The page on discounts says up to how many percent, and for which reasons: 12 % from EUR 210.00 on,
else 4 %, for a `price_promise` or `worn_packaging`. The pre-call check objects to a discount against
the page. The employee emp-4, who may give discounts, is signed in.
"""

from tests.benchmarks.shop.checked_calls import objection_to_run
from tests.benchmarks.shop.objections.discounts.discount_shops import discount_shop


def objection_to_discount(*, cents: int, percent: str, reason: str, issuer: str) -> str:
    """Return the objection to a discount on a basket whose product has this price."""
    shop = discount_shop("emp-4", "employee", "pricing", cents=cents)
    return objection_to_run(shop, "discount", "basket-4", percent, reason, issuer)


def test_a_discount_by_the_page_is_not_objected_to() -> None:
    objection = objection_to_discount(
        cents=21_000, percent="12", reason="price_promise", issuer="emp-4"
    )

    assert objection == ""


def test_a_discount_of_99_percent_is_objected_to() -> None:
    objection = objection_to_discount(
        cents=21_000, percent="99", reason="price_promise", issuer="emp-4"
    )

    assert "the page knows no more than 12 percent" in objection


def test_more_than_the_limit_for_a_small_basket_is_objected_to() -> None:
    objection = objection_to_discount(
        cents=7_000, percent="12", reason="price_promise", issuer="emp-4"
    )

    limit = (
        "the lines come to EUR 70.00, which is below EUR 210.00: 4 percent is the most"
    )
    assert limit in objection


def test_a_reason_that_the_page_does_not_list_is_objected_to() -> None:
    objection = objection_to_discount(
        cents=21_000, percent="4", reason="whim", issuer="emp-4"
    )

    assert "`whim` is not among the reasons of the page" in objection


def test_a_discount_in_somebody_elses_name_is_objected_to() -> None:
    objection = objection_to_discount(
        cents=21_000, percent="4", reason="price_promise", issuer="emp-7"
    )

    assert "emp-7 is named as the issuer, and emp-4 is signed in" in objection
