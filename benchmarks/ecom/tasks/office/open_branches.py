"""The task to list the open branches of a city: "Which of your shops near Lombok are open?"

The request names one branch, by a name that people use. The answer lists the full names of
all open branches in the same city.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def open_branches(world: World, _case: str) -> Truth:
    """Ask for the open branches in the city of a named branch.

    Right: give their full names, sorted, one a line, and cite all branches of the city,
    including closed ones.

    Wrong: give short names, or a branch that is closed or in another city.
    """
    # 1. Draw a city in which at least one branch is open.
    sign_in_anyone(world)
    city = some_store(world, is_open=True).city
    stores = [store for store in world.stores.values() if store.city == city]
    open_names = sorted(store.name for store in stores if store.is_open)

    # 2. Build the truth. The request names any branch of the city, be it open or closed.
    branch = nickname(world, world.rng.choice(stores))
    return truth_with_exact_message(
        world.wording("open-branches", branch=branch),
        "\n".join(open_names),
        must_cite=world.paths(*stores),
        for_tests={"city": city, "first": world.path(stores[0])},
    )
