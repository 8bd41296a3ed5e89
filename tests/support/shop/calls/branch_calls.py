"""The calls for questions about branches: "Do you have 4 lamps there?" and "Which are open?"

A test makes each call in a generated shop, of which the truth is known, and compares:

    TrueCall("branches_in", {"place": "Groningen"}, is_right=..., refs=["/proc/stores/s-4.json"])
    # right if the function's value is [{"name": "Veerhaven Helpman", "is_open": True}]

`task.truth.for_tests` has the branch or city that the request is about.
"""

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.branch_stock import nickname
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.generated_tasks import record_at


def stock_answer_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that tells whether a branch has enough of a product, now or in some days.

    "Do you have 4 of ... at ...?" -> `stock_at` returns `{"VH-LMP-1": {"available": 2, ...}}`:
    no. If the request names days, the field "within" counts, which includes deliveries.
    """
    inputs = task.truth.for_tests
    if "store" not in inputs:  # Several products fit: the right answer is a question.
        return
    store = record_at(task, task.world.stores.values(), inputs["store"])
    product = task.world.catalogue.products[inputs["sku"]]
    wanted_units = int(inputs["units"])
    right_answer_is_yes = task.truth.message == inputs["yes"]
    if inputs["days"]:
        field = "within"
        days = int(inputs["days"])
    else:
        field = "available"
        days = 0

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        is_enough = value[product.sku][field] >= wanted_units
        return is_enough is right_answer_is_yes

    yield TrueCall(
        function="stock_at",
        arguments={
            "products": [product.sku],
            "branch": nickname(task.world, store),
            "days": days,
        },
        is_right=is_right,
        refs=[inputs["store"], task.world.path(product)],
    )


def open_branches_calls(task: Task) -> Iterator[TrueCall]:
    """Yield two calls that find the open branches of a city: by the city's name, and by the name of
    one of its branches.

    `branches_in(place="Groningen")` -> `[{"name": "Veerhaven Helpman", "is_open": true}, ...]`
    """
    city = task.truth.for_tests["city"]
    branch_names: list[str] = []
    for store in task.world.stores.values():
        if store.city == city:
            branch_names.append(nickname(task.world, store))
    open_names = task.truth.message.split("\n")

    def has_open_branches(value: list[dict[str, Any]]) -> bool:
        found_names = [branch["name"] for branch in value if branch["is_open"]]
        return found_names == open_names

    for place in (city, task.world.rng.choice(branch_names)):
        yield TrueCall(
            function="branches_in",
            arguments={"place": place},
            is_right=has_open_branches,
            refs=list(task.truth.must_cite),
        )
