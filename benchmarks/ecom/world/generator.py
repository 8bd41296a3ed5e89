"""Generate the world of a seed: a shop on one day, with its branches, staff and purchases.

A seed gives the same world on every machine. What is generated here is everyday life; a
task then adds what its request is about.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company.branches import choose_stores
from controlplane.benchmarks.ecom.world.company.employees import choose_employees
from controlplane.benchmarks.ecom.world.company.origin import choose_origin
from controlplane.benchmarks.ecom.world.company.policy import choose_policy
from controlplane.benchmarks.ecom.world.dispatch_rates import choose_rates
from controlplane.benchmarks.ecom.world.everyday_life import add_everyday_life
from controlplane.benchmarks.ecom.world.names.chosen_names import choose_names
from controlplane.benchmarks.ecom.world.notices import Notices, choose_notices
from controlplane.benchmarks.ecom.world.products.chosen_catalogue import (
    choose_catalogue,
)
from controlplane.benchmarks.ecom.world.settings import (
    DEFAULTS,
    PROFILES,
    WorldSettings,
)
from controlplane.benchmarks.ecom.world.world import World

FIRST_DAY: Final = datetime(2027, 1, 4, tzinfo=UTC)
POSSIBLE_DAYS: Final = 700
"""The number of days on which a world can be, from `FIRST_DAY` on."""


def generate(seed: str, settings: WorldSettings = DEFAULTS) -> World:
    """Return the world of a seed.

    Names, rates, catalogue and notices have random generators of their own, because the
    vocabulary and the profile change how many numbers they draw. So the rest, such as the
    clock and the people, is the same for a seed, whatever these settings are.
    """
    names = choose_names(Random(f"names|{seed}"), settings.names, settings.wordings)
    rates = choose_rates(Random(f"rates|{seed}"))
    profile = PROFILES[settings.profile]

    # Keep the order of these random choices: it determines the world that a seed gives.
    rng = Random(seed)
    policy = choose_policy(rng, names, rates)
    stores = choose_stores(rng, names.layout)
    id_numbers = list(range(1, 1000))
    rng.shuffle(id_numbers)
    clock = _draw_clock(rng)
    employees = choose_employees(rng, names, policy, stores)
    origin = choose_origin(rng, stores)
    # In some worlds, a record can also be read by a path without its customer's folder.
    flat_paths_resolve = rng.random() < 0.3

    catalogue = choose_catalogue(Random(f"catalogue|{seed}"), profile.products)
    notices = Notices(policy)  # The pages state the valid policy.
    if profile.has_addenda:
        notices = choose_notices(
            Random(f"notices|{seed}"),
            policy,
            names,
            clock.date(),
            with_decoys=profile.has_decoys,
        )

    world = World(
        names=names,
        policy=policy,
        notices=notices,
        origin=origin,
        clock=clock,
        profile=profile,
        flat_paths_resolve=flat_paths_resolve,
        rng=rng,
        unused_numbers=id_numbers,
        catalogue=catalogue,
        stores=stores,
        employees=employees,
    )
    add_everyday_life(world)
    # From here on, the task makes the choices. With a new generator, they do not depend
    # on the size of the world.
    world.rng = Random(f"tasks|{seed}")
    return world


def _draw_clock(rng: Random) -> datetime:
    """Return a random time from 8 to 17 o'clock on one of the possible days."""
    day = rng.randrange(POSSIBLE_DAYS)
    second = rng.randrange(8 * 3600, 17 * 3600)
    return FIRST_DAY + timedelta(days=day, seconds=second)
