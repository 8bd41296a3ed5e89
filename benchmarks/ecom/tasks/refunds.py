"""Tasks about refunds: their approval by staff, and their closure by the customer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Family
from controlplane.benchmarks.ecom.tasks.refusals import denied_to_others, state_of
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, one_of
from controlplane.benchmarks.ecom.world.names import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import RETURNS, SECURITY
from controlplane.benchmarks.ecom.world.purchases import add_paid_basket, add_return
from controlplane.benchmarks.ecom.world.records import Return
from controlplane.benchmarks.ecom.world.world import (
    World,
    sign_in_customer,
    sign_in_employee,
    text_of_record,
)
from controlplane.sandbox.interface.outcomes import DENIED, OK, UNSUPPORTED

# The steps of a refund, and the right answers to requests for one.
#
# A refund belongs to a return of goods, and both are steps of that return: the approval by
# an employee takes its status from `approved` to `refund_pending`, the closure by the
# customer from there to `closed`. A step is wrong if the return has any other status: then
# the right answer changes nothing, and gives that status.


@dataclass(frozen=True, slots=True)
class _RefundStep:
    """One step of a return, such as the approval of its refund. A tool carries it out."""

    verb: str
    """The tool's subcommand in the code: `approve`. A world may have another word for it."""
    status_before: str
    """The status that a return must have for the step."""
    status_after: str
    wrong_statuses: tuple[str, ...]
    """The statuses that forbid the step."""


_APPROVAL: Final = _RefundStep(
    verb="approve",
    status_before="approved",
    status_after="refund_pending",
    wrong_statuses=("requested", "rejected", "closed", "refund_pending"),
)
_CLOSURE: Final = _RefundStep(
    verb="close",
    status_before="refund_pending",
    status_after="closed",
    wrong_statuses=("requested", "approved", "rejected", "closed"),
)


def _truth_of_step(
    world: World,
    instruction: str,
    returned: Return,
    step: _RefundStep,
    for_tests: dict[str, str],
) -> TaskTruth:
    """Return the truth for a step that the asker may order: it depends on the return's status.

    If the status allows the step, the tool carries it out once: `refund approve ret-0031`.
    """
    payment = world.payments[returned.payment_id]
    state = world.names.state(returned.status)
    refusal = TaskTruth(
        instruction=instruction,
        outcome=UNSUPPORTED,
        message=f"Its status is {state}.",
        required_statements=(one_of(state),),
        given_state=state_of(world, returned),
        must_cite=world.paths(payment, returned),
        must_cite_pages=world.page_paths(RETURNS),
        for_tests={**for_tests, "status": state},
    )
    if returned.status != step.status_before:
        return refusal

    next_state = world.names.state(step.status_after)
    new_text = text_of_record(world, returned, status=step.status_after)
    return replace(
        refusal,
        outcome=OK,
        message=f"Return {returned.id} is {next_state} now.",
        required_statements=(
            one_of(returned.id, payment.id),
            # The new state, or words that people use for the step: `approved`, `closed`
            one_of(next_state, *WORDS_FOR[step.verb]),
        ),
        given_state=None,
        changes={world.path(returned): new_text},
        # Each world has its own word for the tool's subcommand.
        calls=(("refund", world.names.records.verb(step.verb), returned.id),),
        for_tests={**for_tests, "status": next_state},
    )


# The task to close a refund, which a customer asks for.
#
# "I have the money for pay-0031; please close the refund." The return of the goods is found
# by its payment. It may be closed by the customer to whom it belongs, and only if its status
# is `refund_pending`. A payment may also have no return at all.


def _refund_closure(world: World, case: str) -> TaskTruth:
    """Ask, as a customer, for the closure of a refund, named by its payment.

    Right: close the return if it belongs to the asker and is `refund_pending`. Deny it
    if the payment is another customer's. If the payment has no return, or one with another
    status, change nothing and say so.

    Cases: `possible`, `status forbids it` (or there is no return), `another customer's`.
    """
    rng = world.rng
    customer_id = sign_in_customer(world)
    if case == "another customer's":
        customer_id = world.new_id("cust")
    payment = add_paid_basket(world, customer_id)
    instruction = world.wording("refund-closure", payment=payment.id)
    status = _CLOSURE.status_before
    if case == "status forbids it":
        has_no_return = rng.random() < 0.3
        if has_no_return:
            return TaskTruth(
                instruction=instruction,
                outcome=UNSUPPORTED,
                message=f"No return is tied to {payment.id}.",
                required_statements=(one_of(payment.id, *WORDS_FOR["return"]),),
                must_cite=world.paths(payment),
                must_cite_pages=world.page_paths(RETURNS),
                for_tests={"payment": world.path(payment)},
            )
        status = rng.choice(_CLOSURE.wrong_statuses)
    returned = add_return(world, payment, status=status)
    for_tests = {
        "return": returned.id,
        "path": world.path(returned),
        "payment": world.path(payment),
    }
    if case == "another customer's":
        return denied_to_others(
            world,
            instruction,
            world.baskets[payment.basket_id],
            payment=payment,
            returned=returned,
            for_tests=for_tests,
        )
    return _truth_of_step(world, instruction, returned, _CLOSURE, for_tests)


# The task to approve a refund, which an employee asks for.
#
# "Please approve the refund for pay-0031." Only employees with the role for refunds may
# approve one, and only if the return of the goods has the status `approved`.


def _refund_approval(world: World, case: str) -> TaskTruth:
    """Ask, as an employee, for the approval of a refund, named by its payment or its return.

    Right: approve the refund if the employee has the role for refunds and the return is
    `approved`. Deny it to an employee without the role. If the return has another status,
    change nothing and give that status.

    Cases: `possible`, `status forbids it`, `role is missing`.
    """
    # 1. Add the return, and sign in an employee with or without the role.
    payment = add_paid_basket(world, world.new_id("cust"))
    status = _APPROVAL.status_before
    if case == "status forbids it":
        status = world.rng.choice(_APPROVAL.wrong_statuses)
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
        return TaskTruth(
            instruction=instruction,
            outcome=DENIED,
            message=f"{employee.id} lacks the role {role} that approving a refund takes.",
            must_cite_pages=world.page_paths(SECURITY),
            may_cite=world.paths(payment, returned, employee),
            for_tests=for_tests,
        )
    truth = _truth_of_step(world, instruction, returned, _APPROVAL, for_tests)
    # The answer may also cite the employee, whose record has the role.
    return replace(truth, may_cite=world.paths(employee))


FAMILIES: Final = (
    Family(
        "refund-approval",
        _refund_approval,
        task_count=4,
        about="the approval of a refund",
        pages="returns verification",
        cases={"possible": 3, "status forbids it": 1, "role is missing": 1},
    ),
    Family(
        "refund-closure",
        _refund_closure,
        task_count=4,
        about="the closure of a refund",
        pages="returns verification",
        cases={"possible": 3, "status forbids it": 1, "another customer's": 1},
    ),
)
