"""The calls for "Which of your branches in Groningen are open?"

    branches_in(place="Groningen")
    # [{"name": "Veerhaven Helpman", "is_open": True}, {"name": "Veerhaven Noord", "is_open": False}]

A test makes each call in a generated shop, of which the truth is known, and compares.
"""

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.purchases import nickname
from tests.support.shop.calls.true_calls import TrueCall


def open_branches_calls(task: Task) -> Iterator[TrueCall]:
    """Yield two calls that find the open branches of a city: by the city's name, and by the name of
    one of its branches.

    `branches_in(place="Groningen")`, and `branches_in(place="Helpman")`.
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
