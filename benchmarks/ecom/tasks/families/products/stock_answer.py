"""Asks whether a branch has so many units of a described product, with the workspace's words for yes and no."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_records,
    nickname,
    set_available,
    sign_in_anyone,
    some_products,
    some_store,
)
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Product

VARIANTS: Final = (Variant("available today", 7), Variant("incoming stock counted", 1))

TODAY: Final = Wordings(
    ("Do you have {units} of {phrase} in stock today at {branch}?",),
    ("I would come to {branch} today for {units} pieces of {phrase}. Are there enough?",),
)
SOON: Final = Wordings(
    ("Counting what arrives within {days} days, do you have {units} of {phrase} at {branch}?",),
    ("I need {units} of {phrase} from {branch} and can wait for deliveries within {days} days. Will there be enough?",),
)


def _subject(world: World) -> tuple[str, str, tuple[Product, ...]]:
    """Return a description, the one SKU that it fits, mostly because it rules out another, and what to cite."""
    rng = world.rng
    if rng.random() < 0.25:
        product = some_products(world, 1)[0]
        return f"'{world.catalogue.describe(rng, product)}'", product.sku, (product,)
    open_between = world.catalogue.vague(rng, most=2, is_on_shelf=True)
    kept, ruled_out = rng.sample(open_between.products, 2)
    cited = (kept, ruled_out) if world.policy.cites_mentioned else (kept,)
    return f"'{open_between.text}' (but not {ruled_out.sku})", kept.sku, cited


def pose(world: World, variant: int) -> Truth:
    """Ask whether a branch has at least so many units."""
    rng = world.rng
    sign_in_anyone(world)
    store = some_store(world)
    phrase, sku, cited = _subject(world)
    units, days = rng.randint(2, 7), rng.randint(2, 6)
    is_enough = rng.random() < 0.5
    asked = world.say(SOON if variant == 2 else TODAY)
    question = asked.format(units=units, phrase=phrase, branch=nickname(world, store), days=days)
    soon = rng.randint(1, units - 1) if variant == 2 else 0
    free = (units if is_enough else units - 1) - soon + (rng.randint(0, 2) if is_enough else 0)
    late = (rng.randint(2, 6), days + rng.randint(1, 5))
    set_available(world, store, sku, free, incoming=[(soon, rng.randint(1, days)), late] if soon else [late])
    word = world.policy.word(is_enough)
    return Truth(
        instruction=question,
        message=word,
        is_exact=True,
        records=cite_records(world, [store, *cited]),
        inputs={
            "store": world.path(store),
            "sku": sku,
            "units": str(units),
            "days": str(days) if variant == 2 else "",
            "yes": world.policy.yes,
            "no": world.policy.no,
        },
    )
