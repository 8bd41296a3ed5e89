"""Which requests of a shop are refused by code, before a model is asked.

refusal("Please check out basket-12.")["outcome"]  # DENIED: it is another customer's
refusal("Please check out basket-4.")              # {}: left to the model
"""

from tests.benchmarks.shop.functions.customer_records import employee
from tests.benchmarks.shop.functions.goods_records import basket
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def refusal(
    request: str,
    *,
    user: str = "cust-7",
    roles: tuple[str, ...] = ("customer",),
    classifier_reply: str = "{}",
) -> dict[str, str]:
    """Return the outcome, the message and the reason of a refusal; nothing if it is not refused.

    The shop has basket-4 of the customer cust-7, basket-12 of another one, and a manager. A
    classifier, a small model, may have said what the request wants: `{"contact": true}`.
    """
    foreign_basket = basket("basket-12", {}) | {"customer_id": "cust-12"}
    shop = written_shop(
        {
            "/docs/security.md": "Run `/bin/id`. Customers see only their own baskets.",
            "/docs/discounts.md": "Only the role `manager` uses `/bin/discount`.",
            "/proc/staff/emp-4.json": employee("emp-4", roles=["manager"]),
            "/proc/carts/basket-4.json": basket("basket-4", {}),
            "/proc/carts/basket-12.json": foreign_basket,
        },
        user=user,
        roles=roles,
    )
    result = function_result(
        shop, "refuse_request", request=request, intent=classifier_reply
    )
    value: dict[str, str] = result["value"]
    return value
