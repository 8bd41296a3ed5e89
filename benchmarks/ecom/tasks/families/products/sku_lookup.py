"""Asks for the SKU of a described product; a description that fits several calls for a clarification."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.task import CLARIFICATION, OK, Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.generator import World

VARIANTS: Final = ("settled", "open between several")
WORDINGS: Final = (
    "What is the SKU of the {asked}? SKU only, please.",
    "sku for {asked} pls. answer with the sku only.",
    "I need the article code (SKU) of this: {asked}. Answer with the code only.",
)


def pose(world: World, variant: int) -> Truth:
    """Ask for a SKU by a description."""
    rng = world.rng
    sign_in_anyone(world)
    products = world.catalogue.products
    by_elimination = variant == 1 and rng.random() < 0.4
    if variant == 1 and not by_elimination:
        asked = rng.choice(list(products.values()))
        phrase, fitting = asked.asked, [asked]
    else:
        open_between = rng.choice(world.catalogue.ambiguities)
        phrase = open_between.phrase
        fitting = [products[sku] for sku in open_between.skus]
        if by_elimination:
            ruled_out = fitting.pop(rng.randrange(len(fitting)))
            phrase = f"{phrase} (but not {ruled_out.sku})"
    settled = len(fitting) == 1
    skus = " ".join(each.sku for each in fitting)
    return Truth(
        instruction=rng.choice(WORDINGS).format(asked=phrase),
        outcome=OK if settled else CLARIFICATION,
        message=skus if settled else f"Which one do you mean: {skus.replace(' ', ' or ')}?",
        is_exact=settled,
        records=cite_records(world, fitting),
        inputs={"skus": skus},
    )
