"""What a request of the customer cust-7 permits the model to change, in a shop with two baskets.

    changes_permitted_to_a_customer("Buy basket-4, please.")   # {"files": False, "tools": True}
    changes_permitted_to_a_customer("Buy basket-12, please.")  # {"files": False, "tools": False}

The customer owns basket-4, but not basket-12.
"""

from tests.benchmarks.shop.functions.goods_records import basket
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def changes_permitted_to_a_customer(
    request: str, *, classifier_reply: str = ""
) -> dict[str, bool]:
    """Return what a request permits, of which a classifier, a small model, has said what it wants."""
    foreign_basket = basket("basket-12", {}) | {"customer_id": "cust-12"}
    shop = written_shop(
        {
            "/proc/carts/basket-4.json": basket("basket-4", {}),
            "/proc/carts/basket-12.json": foreign_basket,
        },
        user="cust-7",
    )
    result = function_result(
        shop, "permitted_changes", request=request, intent=classifier_reply
    )
    changes: dict[str, bool] = result["value"]
    return changes
