"""`check_basket` compares the lines of a basket with the stock of its branch."""

from tests.benchmarks.shop.functions.goods_records import basket, branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def test_a_basket_may_spell_a_products_code_in_small_letters() -> None:
    """The stock and the price are those of TARP-SAND."""
    shop = written_shop(
        {
            "/proc/carts/basket-4.json": basket("basket-4", {"tarp-sand": 2}),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND", cents=7119),
            "/proc/branches/store-1.json": branch(
                "store-1", "Utrecht Canal", {"TARP-SAND": 7}
            ),
        }
    )

    checked = function_result(shop, "check_basket", basket="basket-4")["value"]

    assert checked["lines"] == [
        {
            "sku": "tarp-sand",
            "quantity": 2,
            "price_cents": 7119,
            "available": 7,
            "needs_stock": True,
        }
    ]
    assert checked["short"] == []
