"""The calls that find out which basket a customer means: "my basket", or "my newest basket".

A test makes each call in a generated shop, of which the truth is known, and compares:

    TrueCall("pick_basket", {"selector": "newest"}, is_right=..., refs=["/proc/carts/basket-882.json"])
    # right if the function's value is ["basket-882"]

`task.truth.for_tests` has the paths of the baskets that are meant.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.true_calls import TrueCall, same
from tests.support.shop.generated_tasks import record_at


def unnamed_basket_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a request such as "Check out my basket now".

    `pick_basket` returns the ids of the baskets that may be meant, `["basket_525"]`, and
    `find_records` all baskets of the asker: `[{"id": "basket_525", "state": "open", ...}, ...]`.
    """
    world = task.world
    meant_paths = task.truth.for_tests["baskets"].split()
    meant_ids: set[str] = set()
    for path in meant_paths:
        meant_ids.add(record_at(task, world.baskets.values(), path).id)
    yield TrueCall(
        function="pick_basket",
        arguments={},
        is_right=lambda value: set(value) == meant_ids,
        refs=meant_paths,
    )

    user = world.session.user
    own_paths: list[str] = []
    own_states: dict[str, str] = {}
    for basket in world.baskets.values():
        if basket.customer_id == user:
            own_paths.append(world.path(basket))
            own_states[basket.id] = world.names.state(basket.status)

    def are_own_baskets(value: list[dict[str, str]]) -> bool:
        states = {record["id"]: record["state"] for record in value}
        return states == own_states

    yield TrueCall(
        function="find_records",
        arguments={"kind": "basket", "field": "owner", "value": user},
        is_right=are_own_baskets,
        refs=own_paths,
    )


def basket_addition_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that picks the asker's newest basket, to which a product is to be added.

    `pick_basket(selector="newest")` -> `["basket-882"]`. There is none if the asker has no basket.
    """
    path = task.truth.for_tests.get("basket")
    if path is None:
        return
    newest_basket = record_at(task, task.world.baskets.values(), path)
    yield TrueCall(
        function="pick_basket",
        arguments={"selector": "newest"},
        is_right=same([newest_basket.id]),
        refs=[path],
    )
