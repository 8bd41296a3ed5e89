"""Asks how many articles of a product line cost less than a limit, which often equals the price of one."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.documents import euros
from benchmarks.ecom.world.generator import World

VARIANTS: Final = ("any price, or the very price of one",)
WORDINGS: Final = (
    "How many articles of the {line} line cost less than {limit}? Answer with the number only.",
    "I have {limit} and want to stay below it: how many {line} products are there for me? Reply with the number only.",
)


def pose(world: World, variant: int) -> Truth:
    """Ask for a count under a price."""
    rng = world.rng
    sign_in_anyone(world)
    some = rng.choice(list(world.catalogue.products.values()))
    line = world.catalogue.family(some.family_id)
    prices = sorted(each.price_cents for each in line)
    limit = rng.choice(prices) if rng.random() < 0.5 else rng.randint(prices[0] - 200, prices[-1] + 200)
    counted = [each for each in line if each.price_cents < limit]
    model = some.family_id.split("-", 2)[2].replace("-", " ").title()
    return Truth(
        instruction=rng.choice(WORDINGS).format(line=f"{some.brand} {model}", limit=euros(limit)),
        message=str(len(counted)),
        is_exact=True,
        records=cite_records(world, counted),
        inputs={"paths": "\n".join(world.path(each) for each in line), "limit": str(limit)},
    )
