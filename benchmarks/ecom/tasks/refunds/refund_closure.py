"""The task to close a refund, which a customer asks for.

"I have the money for pay-0031; please close the refund." The return of the goods is found
by its payment. It may be closed by the customer to whom it belongs, and only if its status
is `refund_pending`. A payment may also have no return at all.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.refunds.refund_steps import (
    CLOSURE,
    truth_of_step,
)
from controlplane.benchmarks.ecom.tasks.refusals.denied_records import denied_to_others
from controlplane.benchmarks.ecom.tasks.truth import Truth, one_of
from controlplane.benchmarks.ecom.world.data import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import RETURNS
from controlplane.benchmarks.ecom.world.purchases import add_paid_basket, add_return
from controlplane.benchmarks.ecom.world.records import Payment, Return
from controlplane.benchmarks.ecom.world.sign_in import sign_in_customer
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import UNSUPPORTED


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
    return truth_of_step(world, instruction, returned, CLOSURE, for_tests)


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
