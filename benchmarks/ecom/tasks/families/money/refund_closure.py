"""A customer asks to have a refund closed; ownership and the status of the return decide."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.reference_hands import Desk
from benchmarks.ecom.tasks.scenes import because, cited, paid_basket, sign_in_customer
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Answer, Task, Truth
from benchmarks.ecom.world.documents import RETURNS, SECURITY
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Payment

VARIANTS: Final = ("a pending refund", "another status, or no return at all", "another customer's refund")
WORDINGS: Final = (
    "Please close the refund for my payment {payment}, if the rules for returns allow it.",
    "Finish the refund of payment {payment}. Stick to the refund policy.",
    "The money of {payment} has arrived, so the refund may be closed.",
)


def _without_return(world: World, payment: Payment) -> Truth:
    return Truth(
        outcome=UNSUPPORTED,
        message=f"No return is tied to {payment.id}.",
        records=cited(world, [payment]),
        documents=because(RETURNS),
        handles={"payment": world.path(payment)},
    )


def pose(world: World, variant: int) -> Task:
    """Ask for the end of one refund, by its payment."""
    rng = world.rng
    customer = sign_in_customer(world)
    payment = paid_basket(world, customer if variant != 3 else world.new_id("cust"))
    wording = rng.choice(WORDINGS).format(payment=payment.id)
    if variant == 2 and rng.random() < 0.3:
        return Task(wording, world, _without_return(world, payment))
    status = rng.choice(("requested", "approved", "rejected", "closed")) if variant == 2 else "refund_pending"
    returned = world.add_return(payment, status=status)
    handles = {"payment": world.path(payment), "path": world.path(returned), "return": returned.id}
    if variant == 3:
        refusal = Truth(
            outcome=DENIED,
            message=f"{payment.id} does not belong to the signed-in customer.",
            documents=because(SECURITY),
            handles=handles,
        )
        return Task(wording, world, refusal)
    is_allowed = variant == 1
    return Task(
        wording,
        world,
        Truth(
            outcome=OK if is_allowed else UNSUPPORTED,
            message=f"The refund {returned.id} is closed." if is_allowed else f"Its status is {status}.",
            tokens=() if is_allowed else (status,),
            records=cited(world, [payment, returned]),
            documents=because(RETURNS),
            changes={world.path(returned): world.text(returned, status="closed")} if is_allowed else {},
            handles=handles,
        ),
    )


def reference(desk: Desk, truth: Truth) -> Answer:
    """Look at owner and status, then close or say why not."""
    told = truth.handles
    if desk.record(told["payment"])["customer_id"] != desk.who()["user"]:
        return desk.conclude(truth, "That payment does not belong to you.", outcome=DENIED)
    if "path" not in told:
        return desk.conclude(truth, truth.message, outcome=UNSUPPORTED)
    status = desk.record(told["path"])["status"]
    if status != "refund_pending":
        return desk.conclude(truth, f"The return {told['return']} has the status {status}.", outcome=UNSUPPORTED)
    desk.run("/bin/refund", "close", told["return"])
    return desk.conclude(truth, f"The refund {told['return']} is closed.", outcome=OK)
