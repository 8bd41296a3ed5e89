"""Asks whether the shop sells what a customer describes: yes or no."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, sign_in_anyone
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("it exists"), Variant("one detail contradicts it"))
WORDINGS: Final = Wordings(
    (
        "Customer wants '{asked}'. Does such product exist?",
        "Do you sell this: {asked}? Yes or no.",
        "Is there a product like this in the catalogue: '{asked}'?",
        "A customer asks for '{asked}'. Does such a product exist?",
    ),
    ("Could I get this from you: {asked}? I only want to know whether you carry it, yes or no.",),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for a product by a description that one product fits or none."""
    rng = world.rng
    sign_in_anyone(world)
    asked = world.catalogue.confirmed(rng) if variant == 1 else world.catalogue.contradicted(rng)
    policy = world.policy
    family = world.catalogue.family(asked.products[0].family_id)
    return Truth(
        instruction=world.say(WORDINGS).format(asked=asked.text),
        message=policy.word(variant == 1),
        is_exact=True,
        records=cite_records(world, asked.products if variant == 1 else ()),
        inputs={
            "paths": "\n".join(world.path(each) for each in family),
            "fitting": asked.products[0].sku if variant == 1 else "",
            "yes": policy.yes,
            "no": policy.no,
        },
    )
