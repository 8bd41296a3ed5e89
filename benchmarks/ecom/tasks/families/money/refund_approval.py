"""An employee is asked to approve a refund; role and status of the return decide."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import DENIED, Truth
from benchmarks.ecom.tasks.task_setup import cite_documents, paid_basket, refund_step, sign_in_employee
from benchmarks.ecom.world.documents import SECURITY
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (
    Variant("approved goods", 5),
    Variant("a status that does not allow it", 4),
    Variant("a missing role", 1),
)
WORDINGS: Final = Wordings(
    (
        "Approve the refund for payment {payment} if policy allows it.",
        "Please move return {returned} on to its refund; go by the rules.",
        "The customer waits for the money of {payment}. Approve the refund.",
    ),
    (
        "The goods are back. Please take return {returned} to the next step, if policy agrees.",
        "Please check whether the refund for {payment} can be approved, and approve it if so.",
    ),
)


def pose(world: World, variant: int) -> Truth:
    """Request the approval of one refund, named by its payment or its return."""
    rng = world.rng
    payment = paid_basket(world, world.new_id("cust"))
    status = rng.choice(("requested", "rejected", "closed", "refund_pending")) if variant == 2 else "approved"
    returned = world.add_return(payment, status=status)
    role = world.policy.refund_role
    employee = sign_in_employee(world, without=role) if variant == 3 else sign_in_employee(world, role=role)
    wording = world.say(WORDINGS).format(payment=payment.id, returned=returned.id)
    inputs = {"return": returned.id, "path": world.path(returned), "role": role}
    if variant == 3:
        return Truth(
            instruction=wording,
            outcome=DENIED,
            message=f"{employee.id} lacks the role {role} that approving a refund takes.",
            documents=cite_documents(world, SECURITY),
            tolerated=frozenset({world.path(payment), world.path(returned), world.path(employee)}),
            inputs=inputs,
        )
    next_status = "refund_pending" if variant == 1 else ""
    done = f"Return {returned.id} is {world.names.state('refund_pending')} now."
    return refund_step(world, wording, returned, next_status=next_status, done=done, inputs=inputs)
