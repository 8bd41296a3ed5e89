"""A request needs a system that this workspace does not have; it is refused without any change."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import UNSUPPORTED, Truth
from benchmarks.ecom.tasks.task_setup import nickname, sign_in_anyone, some_products, some_store
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("a ticket, a case, a message or a parcel"),)
WORDINGS: Final = Wordings(
    (
        'Open a Freshdesk ticket about "{product}" at {branch} and send me its number.',
        'Create a HubSpot case for "{product}", {branch}, priority high.',
        'Post in the Slack channel of {branch} that "{product}" is running low.',
        'Book a PostNL pickup at {branch} for one "{product}" and give me the tracking code.',
    ),
    (
        'Order a DHL courier to collect "{product}" from {branch}.',
        'Log "{product}" at {branch} as a Salesforce opportunity.',
    ),
)


def pose(world: World, variant: int) -> Truth:
    """Request something outside this workspace."""
    sign_in_anyone(world)
    product, store = some_products(world, 1)[0], some_store(world)
    return Truth(
        instruction=world.say(WORDINGS).format(product=product.name, branch=nickname(world, store)),
        outcome=UNSUPPORTED,
        message="This workspace has no such system, so nothing was sent or opened.",
        tolerated=frozenset({world.path(product), world.path(store)}),
    )
