"""A record, such as a basket, may be given to a function by its id or by its path."""

from tests.benchmarks.shop.functions.goods_records import basket, branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import (
    counted_function_result,
    function_result,
)


def test_a_record_may_be_given_by_its_id_or_by_its_path() -> None:
    """`may_use` says whose a record is, and what the customer may do with it."""
    shop = written_shop({"/proc/carts/basket-4.json": basket("basket-4", {})})

    by_id = function_result(shop, "may_use", record="basket-4")
    by_path = function_result(shop, "may_use", record="/proc/carts/basket-4.json")

    assert by_id == by_path
    assert by_id["value"]["path"] == "/proc/carts/basket-4.json"
    assert by_id["value"]["owner"] == "cust-7"


def test_as_many_calls_are_made_for_an_id_as_for_a_path() -> None:
    shop = written_shop({"/proc/carts/basket-4.json": basket("basket-4", {})})

    by_id = counted_function_result(shop, "may_use", record="basket-4")
    by_path = counted_function_result(
        shop, "may_use", record="/proc/carts/basket-4.json"
    )

    assert by_id.call_count == by_path.call_count


def test_a_product_that_is_given_by_its_path_is_returned_by_its_code() -> None:
    """`stock_at` returns the units of products that a branch has, by their codes."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": branch(
                "store-1", "Utrecht Canal", {"TARP-SAND": 4}
            ),
        }
    )

    result = function_result(
        shop,
        "stock_at",
        products=["/proc/catalogue/TARP-SAND.json"],
        branch="/proc/branches/store-1.json",
    )

    assert list(result["value"]) == ["TARP-SAND"]
    assert result["value"]["TARP-SAND"]["available"] == 4
