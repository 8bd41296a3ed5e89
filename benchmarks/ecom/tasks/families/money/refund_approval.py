"""An employee is asked to approve a refund; role and status of the return decide."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.reference_hands import Desk
from benchmarks.ecom.tasks.scenes import because, cited, paid_basket, sign_in_employee
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Answer, Task, Truth
from benchmarks.ecom.world.documents import RETURNS, SECURITY
from benchmarks.ecom.world.generator import World

VARIANTS: Final = ("approved goods", "a status that does not allow it", "a missing role")
WORDINGS: Final = (
    "Approve the refund for payment {payment} if policy allows it.",
    "Please move return {returned} on to its refund; go by the rules.",
    "The customer waits for the money of {payment}. Approve the refund.",
)


def pose(world: World, variant: int) -> Task:
    """Ask for the approval of one refund, by payment or by return."""
    rng = world.rng
    payment = paid_basket(world, world.new_id("cust"))
    status = rng.choice(("requested", "rejected", "closed", "refund_pending")) if variant == 2 else "approved"
    returned = world.add_return(payment, status=status)
    role = world.policy.refund_role
    employee = sign_in_employee(world, without=role) if variant == 3 else sign_in_employee(world, role=role)
    wording = rng.choice(WORDINGS).format(payment=payment.id, returned=returned.id)
    handles = {"return": returned.id, "path": world.path(returned), "role": role}
    records = cited(world, [payment, returned])
    if variant == 3:
        refusal = Truth(
            outcome=DENIED,
            message=f"{employee.id} lacks the role {role} that approving a refund takes.",
            documents=because(SECURITY),
            tolerated=frozenset({*records, world.path(employee)}),
            handles=handles,
        )
        return Task(wording, world, refusal)
    is_allowed = variant == 1
    return Task(
        wording,
        world,
        Truth(
            outcome=OK if is_allowed else UNSUPPORTED,
            message=f"Return {returned.id} is refund_pending now." if is_allowed else f"Its status is {status}.",
            tokens=() if is_allowed else (status,),
            records=records,
            documents=because(RETURNS),
            changes={world.path(returned): world.text(returned, status="refund_pending")} if is_allowed else {},
            handles=handles,
        ),
    )


def reference(desk: Desk, truth: Truth) -> Answer:
    """Look at the role and the return's status, then approve or say why not."""
    told = truth.handles
    if told["role"] not in desk.who()["roles"].split(", "):
        return desk.conclude(truth, f"Approving a refund takes the role {told['role']}.", outcome=DENIED)
    status = desk.record(told["path"])["status"]
    if status != "approved":
        return desk.conclude(truth, f"{told['return']} has the status {status}.", outcome=UNSUPPORTED)
    desk.run("/bin/refund", "approve", told["return"])
    return desk.conclude(truth, f"Return {told['return']} is refund_pending now.", outcome=OK)
