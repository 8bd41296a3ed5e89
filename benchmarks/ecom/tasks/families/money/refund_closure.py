"""A customer asks to have a refund closed; ownership and the status of the return decide."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import UNSUPPORTED, Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_documents,
    cite_records,
    foreign_payment,
    paid_basket,
    refund_step,
    sign_in_customer,
)
from benchmarks.ecom.world.documents import RETURNS
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Payment

VARIANTS: Final = (
    Variant("a pending refund", 5),
    Variant("another status, or no return at all", 4),
    Variant("another customer's refund", 1),
)
WORDINGS: Final = Wordings(
    (
        "Please close the refund for my payment {payment}, if the rules for returns allow it.",
        "Finish the refund of payment {payment}. Stick to the refund policy.",
        "The money of {payment} has arrived, so the refund may be closed.",
    ),
    (
        "I have got my money back for {payment}. Please complete the refund.",
        "Please mark the refund of my payment {payment} as finished, if that is in order.",
    ),
)


def _without_return(world: World, instruction: str, payment: Payment) -> Truth:
    return Truth(
        instruction=instruction,
        outcome=UNSUPPORTED,
        message=f"No return is tied to {payment.id}.",
        records=cite_records(world, [payment]),
        documents=cite_documents(world, RETURNS),
        inputs={"payment": world.path(payment)},
    )


def pose(world: World, variant: int) -> Truth:
    """Request the closure of one refund, named by its payment."""
    rng = world.rng
    customer = sign_in_customer(world)
    payment = paid_basket(world, customer if variant != 3 else world.new_id("cust"))
    wording = world.say(WORDINGS).format(payment=payment.id)
    if variant == 2 and rng.random() < 0.3:
        return _without_return(world, wording, payment)
    status = rng.choice(("requested", "approved", "rejected", "closed")) if variant == 2 else "refund_pending"
    returned = world.add_return(payment, status=status)
    inputs = {"payment": world.path(payment), "path": world.path(returned), "return": returned.id}
    if variant == 3:
        return foreign_payment(world, wording, payment, inputs)
    next_status = "closed" if variant == 1 else ""
    done = f"The refund {returned.id} is {world.names.state('closed')}."
    return refund_step(world, wording, returned, next_status=next_status, done=done, inputs=inputs)
