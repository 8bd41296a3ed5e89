"""The task to approve a refund, which an employee asks for.

"Please approve the refund for pay-0031." Only employees with the role for refunds may
approve one, and only if the return of the goods has the status `approved`.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.refunds.refund_steps import (
    APPROVAL,
    truth_of_step,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.pages import SECURITY
from controlplane.benchmarks.ecom.world.purchases import add_paid_basket, add_return
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import DENIED


def refund_approval(world: World, case: str) -> Truth:
    """Ask, as an employee, for the approval of a refund, named by its payment or its return.

    Right: approve the refund if the employee has the role for refunds and the return is
    `approved`. Deny it to an employee without the role. If the return has another status,
    change nothing and give that status.

    Cases: `possible`, `status forbids it`, `role is missing`.
    """
    # 1. Add the return, and sign in an employee with or without the role.
    payment = add_paid_basket(world, world.new_id("cust"))
    status = APPROVAL.status_before
    if case == "status forbids it":
        status = world.rng.choice(APPROVAL.wrong_statuses)
    returned = add_return(world, payment, status=status)
    role = world.policy.refund_role
    if case == "role is missing":
        employee = sign_in_employee(world, without=role)
    else:
        employee = sign_in_employee(world, role=role)

    # 2. Build the truth.
    instruction = world.wording(
        "refund-approval", payment=payment.id, returned=returned.id
    )
    for_tests = {"return": returned.id, "path": world.path(returned), "role": role}
    if case == "role is missing":
        return Truth(
            instruction=instruction,
            outcome=DENIED,
            message=f"{employee.id} lacks the role {role} that approving a refund takes.",
            must_cite_pages=world.page_paths(SECURITY),
            may_cite=world.paths(payment, returned, employee),
            for_tests=for_tests,
        )
    truth = truth_of_step(world, instruction, returned, APPROVAL, for_tests)
    # The answer may also cite the employee, whose record has the role.
    return replace(truth, may_cite=world.paths(employee))
