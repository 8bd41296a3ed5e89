"""Asks for the SKU of a product in a customer's words; a description that fits several calls for a clarification."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import CLARIFICATION, OK, Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.catalogue import Description
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Product

VARIANTS: Final = (Variant("settled", 3), Variant("open between several", 1))
WORDINGS: Final = Wordings(
    (
        "What is the SKU of this: {asked}. SKU only, please.",
        "sku for {asked} pls. sku only.",
        "I need the article code (SKU) of this: {asked}. Answer with the code only.",
        "need code: {asked}. answer only with the sku.",
        "Resolve the stock keeping unit for: {asked}. Return the SKU and nothing else.",
    ),
    (
        "A customer asks for {asked}. Find the SKU and return just that.",
        "Could you tell me the SKU for '{asked}'? Only the SKU, please.",
    ),
)


def _settled(world: World) -> tuple[Description, tuple[Product, ...]]:
    """Return a description of one product, sometimes because it rules out another one by its SKU, and what to cite."""
    rng = world.rng
    if rng.random() < 0.75:
        product = rng.choice(list(world.catalogue.products.values()))
        return Description(world.catalogue.describe(rng, product), (product,)), (product,)
    open_between = world.catalogue.vague(rng, most=2)
    kept, ruled_out = rng.sample(open_between.products, 2)
    cited = (kept, ruled_out) if world.policy.cites_mentioned else (kept,)
    return Description(f"{open_between.text} (but not {ruled_out.sku})", (kept,)), cited


def pose(world: World, variant: int) -> Truth:
    """Ask for a SKU by a description."""
    rng = world.rng
    sign_in_anyone(world)
    if variant == 1:
        asked, cited = _settled(world)
    else:
        asked = world.catalogue.vague(rng)
        cited = asked.products
    fitting = asked.products
    settled = len(fitting) == 1
    skus = [each.sku for each in fitting]
    return Truth(
        instruction=world.say(WORDINGS).format(asked=asked.text),
        outcome=OK if settled else CLARIFICATION,
        message=skus[0] if settled else f"Which one do you mean: {' or '.join(skus)}?",
        is_exact=settled,
        tokens=() if settled else tuple(skus),
        records=cite_records(world, cited),
        inputs={"skus": " ".join(skus)},
    )
