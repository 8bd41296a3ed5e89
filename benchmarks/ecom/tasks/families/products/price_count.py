"""Asks how many products that fit a description cost less than a limit, which often equals the price of one."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.documents import euros
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("any price, or the very price of one"),)
WORDINGS: Final = Wordings(
    (
        "I need this: {asked}. It must be under {limit}. How many matching SKUs do you have? Answer with number only",
        "Resolve this product request: {asked}. Constraint: price must be below {limit}. Respond with the count of "
        "matching products as a number only.",
        "how many products match '{asked}' below {limit}? number only",
        "Looking for: {asked}. How many of those cost less than {limit}? Answer with the number only.",
    ),
    (
        "My limit is {limit}, and the price has to be lower than that. Count the products that match this: {asked}. "
        "Reply with a number only",
    ),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for a count under a price."""
    rng = world.rng
    sign_in_anyone(world)
    asked = world.catalogue.loose(rng)
    prices = sorted(each.price_cents for each in asked.products)
    near = rng.randint(prices[0] * 85 // 100, prices[-1] * 115 // 100)
    limit = rng.choice(prices) if rng.random() < 0.4 else near
    counted = [each for each in asked.products if each.price_cents < limit]
    return Truth(
        instruction=world.say(WORDINGS).format(asked=asked.text, limit=euros(limit)),
        message=str(len(counted)),
        is_exact=True,
        records=cite_records(world, counted),
        inputs={"paths": "\n".join(world.path(each) for each in asked.products), "limit": str(limit)},
    )
