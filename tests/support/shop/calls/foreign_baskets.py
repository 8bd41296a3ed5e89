"""The calls for a request about a named basket, which may be somebody else's.

A test makes each call in a generated shop, of which the truth is known, and compares:

    TrueCall("may_use", {"record": "basket-0412"}, is_right=..., refs=[])
    # right if the function's value is {"see": False, "change": False, "cite": False}

`task.truth.for_tests` names the basket, and `task.world.session` is who asks.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.true_calls import TrueCall


def foreign_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a named basket, most often somebody else's.

    `who_asks` returns the asker, and `may_use(record="basket-0334")` what they may do with the
    basket: `{"see": false, "change": false, "cite": false, ...}`. An owner may do all three with
    their basket, and anybody else nothing.
    """
    session = task.world.session
    asker_kind = "guest" if "guest" in session.roles else "customer"
    yield TrueCall(
        function="who_asks",
        arguments={},
        is_right=lambda value: value["is"] == asker_kind,
        refs=[],
    )

    basket = task.world.baskets[task.truth.for_tests["id"]]
    is_own = basket.customer_id == session.user

    def has_right_permissions(value: dict[str, bool]) -> bool:
        permissions = [value["see"], value["change"], value["cite"]]
        return permissions == [is_own, is_own, is_own]

    yield TrueCall(
        function="may_use",
        arguments={"record": basket.id},
        is_right=has_right_permissions,
        refs=[task.world.path(basket)] if is_own else [],
    )
