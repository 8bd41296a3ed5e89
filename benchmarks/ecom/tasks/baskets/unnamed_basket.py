"""The task to check out a basket that the request does not name.

"Please check out my basket." If the asker has one active basket, that one is meant. If
there are several, the right answer names all of them and asks which one is meant. The asker
also has baskets that have ended; the answer must not offer these.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.answer_secrets import Secrets
from controlplane.benchmarks.ecom.tasks.baskets.checkout_truths import possible_checkout
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import some_store, stocked_lines
from controlplane.benchmarks.ecom.world.purchases import (
    add_basket,
    paths_of_products_and_branches,
)
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
)
from controlplane.benchmarks.ecom.world.sign_in import sign_in_customer
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import CLARIFICATION


def unnamed_basket(world: World, case: str) -> Truth:
    """Ask for a checkout without naming the basket.

    Right: check the asker's only active basket out. If there are several, change
    nothing, ask which one is meant, and name all active ones.

    Wrong: guess a basket, or name one that is not active.

    Cases: `one is active`, `several are active`.
    """
    rng = world.rng
    customer = sign_in_customer(world)
    ended_baskets = []  # one or two, of different states
    for status in rng.sample((ABANDONED, CHECKED_OUT), rng.randint(1, 2)):
        ended_baskets.append(_add_stocked_basket(world, customer, status))
    active_count = 1
    if case == "several are active":
        active_count = rng.randint(2, 3)
    active_baskets = []
    for _ in range(active_count):
        active_baskets.append(_add_stocked_basket(world, customer, ACTIVE))

    instruction = world.wording("unnamed-basket")
    if case == "one is active":
        only_basket = active_baskets[0]
        return possible_checkout(world, only_basket, instruction, for_tests={})
    active_ids = tuple(basket.id for basket in active_baskets)
    return Truth(
        instruction=instruction,
        outcome=CLARIFICATION,
        message=f"You have several active baskets. Which one: {' or '.join(active_ids)}?",
        required_words=active_ids,
        # The question must not offer a basket that has ended.
        secrets=Secrets(texts=tuple(basket.id for basket in ended_baskets)),
        must_cite=world.paths(*active_baskets),
        may_cite=paths_of_products_and_branches(world, *active_baskets),
        for_tests={"baskets": " ".join(world.paths(*active_baskets))},
    )


def _add_stocked_basket(world: World, customer: str, status: str) -> Basket:
    """Add a basket at an open branch that can sell every line today."""
    store = some_store(world, is_open=True)
    lines = stocked_lines(world, store, world.rng.randint(1, 3))
    return add_basket(world, customer, store, lines, status=status)
