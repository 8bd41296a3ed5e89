"""Asks whether the shop sells a product with a named property: yes or no."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Product

VARIANTS: Final = ("it exists", "one property contradicts it")
WORDINGS: Final = (
    "Do you sell a {phrase} whose `{key}` is `{value}`?",
    "Is there a {phrase} in the catalogue with `{key}` = `{value}`?",
    "A customer wants the {phrase}, and its `{key}` must be `{value}`. Does such a product exist?",
)

Value = str | int | bool


def _distinctions(world: World) -> list[tuple[str, str, list[Product], list[Value]]]:
    """Return phrases, each with a property, the products that fit it, and values that none of these has."""
    found = []
    products = world.catalogue.products
    for each in world.catalogue.ambiguities:
        fitting = [products[sku] for sku in each.skus]
        for key in sorted({key for product in fitting for key in product.properties}):
            held = [product.properties[key] for product in fitting if key in product.properties]
            if len(set(held)) < len(held) or isinstance(held[0], bool):
                continue
            others = {p.properties[key] for p in products.values() if key in p.properties} - set(held)
            if others:
                found.append((each.phrase, key, fitting, sorted(others, key=str)))
    return found


def pose(world: World, variant: int) -> Truth:
    """Ask for a product by a phrase that fits several, and a property that one or none of them has."""
    rng = world.rng
    sign_in_anyone(world)
    phrase, key, fitting, others = rng.choice(_distinctions(world))
    holder = rng.choice([each for each in fitting if key in each.properties])
    value = holder.properties[key] if variant == 1 else rng.choice(others)
    policy = world.policy
    return Truth(
        instruction=rng.choice(WORDINGS).format(phrase=phrase, key=key, value=value),
        message=policy.word(variant == 1),
        is_exact=True,
        records=cite_records(world, [holder] if variant == 1 else []),
        inputs={
            "paths": "\n".join(world.path(each) for each in fitting),
            "key": key,
            "value": str(value),
            "yes": policy.yes,
            "no": policy.no,
        },
    )
