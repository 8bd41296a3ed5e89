"""Generate the world of a seed: a shop on one day, with its branches, staff and purchases.

A seed gives the same world on every machine. What is generated here is everyday life; a
task then adds what its request is about.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company import (
    choose_employees,
    choose_origin,
    choose_policy,
    choose_stores,
)
from controlplane.benchmarks.ecom.world.dispatch_rates import choose_rates
from controlplane.benchmarks.ecom.world.names import choose_names
from controlplane.benchmarks.ecom.world.notices import Notices, choose_notices
from controlplane.benchmarks.ecom.world.products.catalogue import choose_catalogue
from controlplane.benchmarks.ecom.world.purchases import (
    add_basket,
    add_payment,
    add_return,
)
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Delivery,
    Payment,
    Stock,
    Verification,
)
from controlplane.benchmarks.ecom.world.settings import (
    DEFAULTS,
    PROFILES,
    WorldSettings,
)
from controlplane.benchmarks.ecom.world.world import World, format_instant

EVERYDAY_RETURNS: Final = (
    "requested",
    "approved",
    "rejected",
    "refund_pending",
    "closed",
    "approved",  # twice as many as in any other state
) * 4
"""The states of the 24 returns in every world."""
CHALLENGES: Final = ("challenge_open", "challenge_abandoned", "challenge_timed_out")
"""The states of a card verification (a challenge) that was not finished."""
EVERYDAY_CHALLENGES: Final = CHALLENGES * 3
"""The states of the nine unfinished card verifications in every world."""
FIRST_DAY: Final = datetime(2027, 1, 4, tzinfo=UTC)
POSSIBLE_DAYS: Final = 700
"""The number of days on which a world can be, from `FIRST_DAY` on."""
ACTIVE_BASKETS: Final = 26
"""The number of ordinary active baskets in every world."""
ABANDONED_BASKETS: Final = 21
CHECKED_OUT_BASKETS: Final = 43
"""The number of ordinary checked-out baskets. Each has a payment."""


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
    day = rng.randrange(POSSIBLE_DAYS)
    second = rng.randrange(8 * 3600, 17 * 3600)  # From 8 to 17 o'clock.
    clock = FIRST_DAY + timedelta(days=day, seconds=second)
    employees = choose_employees(rng, names, policy, stores)
    origin = choose_origin(rng, stores)
    # In some worlds, a record can also be read by a path without its customer's folder.
    flat_paths_resolve = rng.random() < 0.3

    catalogue = choose_catalogue(Random(f"catalogue|{seed}"), profile.products)
    notices = Notices(policy)
    if profile.has_addenda:
        notices = choose_notices(
            Random(f"notices|{seed}"),
            policy,
            names,
            clock.date(),
            with_decoys=profile.has_decoys,
        )
    world = World(
        rng=rng,
        names=names,
        policy=policy,
        catalogue=catalogue,
        stores=stores,
        employees=employees,
        origin=origin,
        clock=clock,
        notices=notices,
        numbers=id_numbers,
        profile=profile,
        flat_paths_resolve=flat_paths_resolve,
    )
    _populate(world)
    # From here on, the task makes the choices. With a new generator, they do not depend
    # on the size of the world.
    world.rng = Random(f"tasks|{seed}")
    return world


def _populate(world: World) -> None:
    """Stock the branches, and add ordinary baskets, payments and returns in every state."""
    rng = world.rng
    shelf_skus = [product.sku for product in world.catalogue.shelf]
    for store in world.stores.values():
        for sku in sorted(rng.sample(shelf_skus, rng.randint(35, 45))):
            store.inventory[sku] = _draw_stock(rng)
    customers = [world.new_id("cust") for _ in range(40)]
    for _ in range(ACTIVE_BASKETS):
        _add_everyday_basket(world, customers, ACTIVE)
    for _ in range(ABANDONED_BASKETS):
        _add_everyday_basket(world, customers, ABANDONED)
    payments = []
    for _ in range(CHECKED_OUT_BASKETS):
        basket = _add_everyday_basket(world, customers, CHECKED_OUT)
        payments.append(add_payment(world, basket))

    # The first payments get returns, the last ones unfinished verifications. Those
    # between get neither, so `zip` stops early.
    for payment, status in zip(payments, EVERYDAY_RETURNS, strict=False):
        add_return(world, payment, status=status)
    for payment, state in zip(reversed(payments), EVERYDAY_CHALLENGES, strict=False):
        _make_stuck(world, payment, state)


def _draw_stock(rng: Random) -> Stock:
    """Return a random stock: plenty, all reserved, or almost none."""
    draw = rng.random()
    if draw < 0.55:  # In 55 of 100 rows, plenty is left.
        on_hand = rng.randint(3, 16)
        return Stock(on_hand, rng.randint(0, 3))
    incoming = []
    if draw < 0.75:  # In 20 of 100, all units are reserved.
        reserved = rng.randint(1, 6)
        if rng.random() < 0.3:
            incoming.append(Delivery(rng.randint(1, 8), in_days=rng.randint(1, 14)))
        return Stock(reserved, reserved, incoming)
    # In the other 25, almost nothing is left.
    on_hand = rng.randint(0, 2)
    if rng.random() < 0.7:
        incoming.append(Delivery(rng.randint(2, 9), in_days=rng.randint(1, 14)))
    return Stock(on_hand, 0, incoming)


def _add_everyday_basket(world: World, customers: list[str], status: str) -> Basket:
    rng = world.rng
    every_sku = list(world.catalogue.products)
    skus = rng.sample(every_sku, rng.randint(1, 4))
    lines = {sku: rng.randint(1, 3) for sku in skus}
    customer = rng.choice(customers)
    store = rng.choice(list(world.stores.values()))
    return add_basket(world, customer, store, lines, status=status)


def _make_stuck(world: World, payment: Payment, state: str) -> None:
    """Make a payment wait for a card verification that was not finished: a stuck payment.

    The verification may be restarted from a time that is hours ago or up to 50 minutes ahead.
    """
    max_attempts = world.policy.verification_attempts
    retry_after = world.clock + timedelta(minutes=world.rng.randint(-300, 50))
    attempts = world.rng.randint(1, max_attempts)
    payment.status = "awaiting_verification"
    payment.verification = Verification(
        state, attempts, max_attempts, format_instant(retry_after)
    )
