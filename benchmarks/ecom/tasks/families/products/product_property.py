"""Asks for one nested property of a product, exactly as its file shows it."""

from __future__ import annotations

import json
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("text, a number, true or false"),)
WORDINGS: Final = Wordings(
    (
        "For SKU {sku}, what exact `{field}.{key}` value is recorded in the product JSON? Answer only the value.",
        "What does the catalogue record of {sku} hold as `{field}.{key}`? The value only, as recorded.",
    ),
    ("Please look up `{field}.{key}` of the product {sku} and give me the bare value.",),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for one property."""
    rng = world.rng
    sign_in_anyone(world)
    product = rng.choice(list(world.catalogue.products.values()))
    key, value = rng.choice(sorted(product.properties.items()))
    field = world.names.field("properties")
    return Truth(
        instruction=world.say(WORDINGS).format(sku=product.sku, field=field, key=key),
        message=value if isinstance(value, str) else json.dumps(value),
        is_exact=True,
        records=cite_records(world, [product]),
        inputs={"path": world.path(product), "key": key},
    )
