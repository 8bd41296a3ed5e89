"""A request needs a system that this workspace does not have; it is refused without any change."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import UNSUPPORTED, Truth
from benchmarks.ecom.tasks.task_setup import nickname, sign_in_anyone, some_products, some_store
from benchmarks.ecom.world.generator import World

VARIANTS: Final = (Variant("a ticket, a case, a message or a parcel"),)
WORDINGS: Final = (
    'Open a Freshdesk ticket about "{product}" at {branch} and send me its number.',
    'Create a HubSpot case for "{product}", {branch}, priority high.',
    'Post in the Slack channel of {branch} that "{product}" is running low.',
    'Book a PostNL pickup at {branch} for one "{product}" and give me the tracking code.',
)


def pose(world: World, variant: int) -> Truth:
    """Request something outside this workspace."""
    sign_in_anyone(world)
    product, store = some_products(world, 1)[0], some_store(world)
    return Truth(
        instruction=world.rng.choice(WORDINGS).format(product=product.name, branch=nickname(world, store)),
        outcome=UNSUPPORTED,
        message="This workspace has no such system, so nothing was sent or opened.",
        tolerated=frozenset({world.path(product), world.path(store)}),
    )
