"""Tasks about refunds: their approval by staff, and their closure by the customer.

A refund belongs to a return of goods, and both are steps of that return: the approval by
an employee takes its status from `approved` to `refund_pending`, the closure by the
customer from there to `closed`. A step is wrong if the return has any other status.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmarks.ecom.tasks.answer_secrets import Secrets
from controlplane.benchmarks.ecom.tasks.refusals import denied_to_others, state_of
from controlplane.benchmarks.ecom.tasks.truth import Truth, one_of
from controlplane.benchmarks.ecom.world.branch_stock import some_store, stocked_lines
from controlplane.benchmarks.ecom.world.data import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import RETURNS, SECURITY
from controlplane.benchmarks.ecom.world.purchases import (
    add_basket,
    add_payment,
    add_return,
)
from controlplane.benchmarks.ecom.world.records import CHECKED_OUT, Payment, Return
from controlplane.benchmarks.ecom.world.rendered_world import text_of_record
from controlplane.benchmarks.ecom.world.sign_in import (
    sign_in_customer,
    sign_in_employee,
)
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import DENIED, OK, UNSUPPORTED


@dataclass(frozen=True, slots=True)
class RefundStep:
    """One step of a return, such as the approval of its refund. A tool carries it out."""

    verb: str
    """The tool's subcommand in the code: `approve`. A world may have another word for it."""
    status_before: str
    """The status that a return must have for the step."""
    status_after: str
    wrong_statuses: tuple[str, ...]
    """The statuses that forbid the step."""


APPROVAL: Final = RefundStep(
    verb="approve",
    status_before="approved",
    status_after="refund_pending",
    wrong_statuses=("requested", "rejected", "closed", "refund_pending"),
)
CLOSURE: Final = RefundStep(
    verb="close",
    status_before="refund_pending",
    status_after="closed",
    wrong_statuses=("requested", "approved", "rejected", "closed"),
)


def add_paid_basket(world: World, customer_id: str) -> Payment:
    """Add a basket that is checked out and paid, and return its payment."""
    store = some_store(world)
    lines = stocked_lines(world, store, world.rng.randint(1, 3))
    basket = add_basket(world, customer_id, store, lines, status=CHECKED_OUT)
    return add_payment(world, basket)


# Approval by staff ------------------------------------------------------------------------------


def refund_approval(world: World, case: str) -> Truth:
    """Ask, as an employee, for the approval of a refund, named by its payment or its return.

    Right: approve the refund if the employee has the role for refunds and the return is
    `approved`. Deny it to an employee without the role. If the return has another status,
    change nothing and give that status.

    Cases: `possible`, `status forbids it`, `role is missing`.
    """
    payment = add_paid_basket(world, world.new_id("cust"))
    if case == "role is missing":
        returned = add_return(world, payment, status=APPROVAL.status_before)
        return _approval_without_role(world, payment, returned)

    status = APPROVAL.status_before
    if case == "status forbids it":
        status = world.rng.choice(APPROVAL.wrong_statuses)
    returned = add_return(world, payment, status=status)
    role = world.policy.refund_role
    employee = sign_in_employee(world, role=role)
    instruction = world.wording(
        "refund-approval", payment=payment.id, returned=returned.id
    )
    for_tests = {"return": returned.id, "path": world.path(returned), "role": role}
    truth = _truth_of_step(world, instruction, returned, APPROVAL, for_tests)
    # The answer may also cite the employee, whose record has the role.
    return replace(truth, may_cite=world.paths(employee))


def _approval_without_role(world: World, payment: Payment, returned: Return) -> Truth:
    """Ask for an approval as an employee who may not approve refunds: it must be denied."""
    role = world.policy.refund_role
    employee = sign_in_employee(world, without=role)
    return Truth(
        instruction=world.wording(
            "refund-approval", payment=payment.id, returned=returned.id
        ),
        outcome=DENIED,
        message=f"{employee.id} lacks the role {role} that approving a refund takes.",
        must_cite_pages=world.page_paths(SECURITY),
        may_cite=world.paths(payment, returned, employee),
        for_tests={"return": returned.id, "path": world.path(returned), "role": role},
    )


# Closure by the customer ------------------------------------------------------------------------


def refund_closure(world: World, case: str) -> Truth:
    """Ask, as a customer, for the closure of a refund, named by its payment.

    Right: close the return if it belongs to the asker and is `refund_pending`. Deny it
    if the payment is another customer's. If the payment has no return, or one with another
    status, change nothing and say so.

    Cases: `possible`, `status forbids it` (or there is no return), `another customer's`.
    """
    rng = world.rng
    customer_id = sign_in_customer(world)
    if case == "another customer's":
        return _closure_for_another_customer(world)

    payment = add_paid_basket(world, customer_id)
    instruction = world.wording("refund-closure", payment=payment.id)
    status = CLOSURE.status_before
    if case == "status forbids it":
        has_no_return = rng.random() < 0.3
        if has_no_return:
            return _no_return(world, instruction, payment)
        status = rng.choice(CLOSURE.wrong_statuses)
    returned = add_return(world, payment, status=status)
    for_tests = _details_for_tests(world, payment, returned)
    return _truth_of_step(world, instruction, returned, CLOSURE, for_tests)


def _closure_for_another_customer(world: World) -> Truth:
    """Ask for the closure of another customer's return: it must be denied."""
    other_customer_id = world.new_id("cust")
    payment = add_paid_basket(world, other_customer_id)
    instruction = world.wording("refund-closure", payment=payment.id)
    returned = add_return(world, payment, status=CLOSURE.status_before)
    basket = world.baskets[payment.basket_id]
    for_tests = _details_for_tests(world, payment, returned)
    return denied_to_others(
        world,
        instruction,
        basket,
        payment=payment,
        returned=returned,
        for_tests=for_tests,
    )


def _details_for_tests(
    world: World, payment: Payment, returned: Return
) -> dict[str, str]:
    """Return what tests need to make right and wrong answers to a request for a closure."""
    return {
        "return": returned.id,
        "path": world.path(returned),
        "payment": world.path(payment),
    }


def _no_return(world: World, instruction: str, payment: Payment) -> Truth:
    """Return the truth for a payment without a return: the answer says that there is none."""
    return Truth(
        instruction=instruction,
        outcome=UNSUPPORTED,
        message=f"No return is tied to {payment.id}.",
        required_statements=(one_of(payment.id, *WORDS_FOR["return"]),),
        must_cite=world.paths(payment),
        must_cite_pages=world.page_paths(RETURNS),
        for_tests={"payment": world.path(payment)},
    )


# Right answers to requests for an approval or a closure -------------------------------------------


def _truth_of_step(
    world: World,
    instruction: str,
    returned: Return,
    step: RefundStep,
    for_tests: dict[str, str],
) -> Truth:
    """Return the truth for a step that the asker may order: it depends on the return's status."""
    if returned.status == step.status_before:
        return _done(world, instruction, returned, step, for_tests)
    return _refused_by_status(world, instruction, returned, for_tests)


def _done(
    world: World,
    instruction: str,
    returned: Return,
    step: RefundStep,
    for_tests: dict[str, str],
) -> Truth:
    """Return the truth for a possible step of a return: the tool carries it out once."""
    payment = world.payments[returned.payment_id]
    next_state = world.names.state(step.status_after)
    return Truth(
        instruction=instruction,
        outcome=OK,
        message=f"Return {returned.id} is {next_state} now.",
        required_statements=(
            one_of(returned.id, payment.id),
            # The new state, or words that people use for the step: `approved`, `closed`
            one_of(next_state, *WORDS_FOR[step.verb]),
        ),
        must_cite=world.paths(payment, returned),
        must_cite_pages=world.page_paths(RETURNS),
        changes={
            world.path(returned): text_of_record(
                world, returned, status=step.status_after
            )
        },
        # Each world has its own word for the tool's subcommand.
        calls=(("refund", world.names.records.verb(step.verb), returned.id),),
        for_tests={**for_tests, "status": next_state},
    )


def _refused_by_status(
    world: World, instruction: str, returned: Return, for_tests: dict[str, str]
) -> Truth:
    """Return the truth for a step that the return's status forbids: the answer gives the status."""
    payment = world.payments[returned.payment_id]
    state = world.names.state(returned.status)
    return Truth(
        instruction=instruction,
        outcome=UNSUPPORTED,
        message=f"Its status is {state}.",
        required_statements=(one_of(state),),
        # The message must not hide the state in a list of all states.
        secrets=Secrets(states=(state_of(world, returned),)),
        must_cite=world.paths(payment, returned),
        must_cite_pages=world.page_paths(RETURNS),
        for_tests={**for_tests, "status": state},
    )
