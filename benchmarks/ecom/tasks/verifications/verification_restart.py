"""The task to restart a card verification that is stuck.

When a customer pays by card, the bank may ask for a confirmation (3-D Secure). If the
customer never confirms, the payment waits. The verification may be restarted if attempts
are left and the waiting time is over: `/bin/payments restart pay-0031`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from controlplane.benchmarks.ecom.tasks.refusals.denied_records import denied_to_others
from controlplane.benchmarks.ecom.tasks.truth import Truth, one_of
from controlplane.benchmarks.ecom.tasks.verifications.stuck_verifications import (
    SITUATIONS_OF_CASE,
    Situation,
    add_other_stuck_payments,
    draw_verification,
)
from controlplane.benchmarks.ecom.world.data import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import CHECKOUT, SECURITY, VERIFICATION
from controlplane.benchmarks.ecom.world.purchases import add_paid_basket
from controlplane.benchmarks.ecom.world.records import Basket, Payment, Verification
from controlplane.benchmarks.ecom.world.rendered_world import text_of_record
from controlplane.benchmarks.ecom.world.sign_in import sign_in_customer
from controlplane.benchmarks.ecom.world.world import World, format_instant
from controlplane.gates.submission import UNSUPPORTED


def verification_restart(world: World, case: str) -> Truth:
    """Ask for the restart of a payment's stuck card verification.

    Right: restart it once, with the tool, if attempts are left and the earliest time
    has passed. Otherwise refuse it, and give that time, the number of attempts or the
    payment's state. Deny it if the payment is another customer's.

    Wrong: restart it twice, or mark the payment as paid.

    Cases: `possible`, `too early`, `spent or paid`, `another customer's`. A case has one or
    two situations (see `SITUATIONS_OF_CASE`).
    """
    # 1. Add the payment of the asker or of another customer, and some that are not meant.
    rng = world.rng
    situation = rng.choice(SITUATIONS_OF_CASE[case])
    customer = sign_in_customer(world)
    owner = customer
    if situation is Situation.FOREIGN:
        owner = world.new_id("cust")
    payment = add_paid_basket(world, owner)
    verification = draw_verification(world, situation)
    payment.verification = verification
    if situation is not Situation.PAID:
        payment.status = "awaiting_verification"
    basket = world.baskets[payment.basket_id]
    add_other_stuck_payments(world, customer)

    # 2. Build the truth: the request, which names the payment or its basket, and the right
    #    answer.
    instruction = world.wording("verification", payment=payment.id, basket=basket.id)
    for_tests = {"payment": world.path(payment), "id": payment.id}
    if situation is Situation.FOREIGN:
        return denied_to_others(
            world, instruction, basket, payment=payment, for_tests=for_tests
        )
    if case == "possible":
        return _restarted(world, instruction, payment, verification, basket)
    value_to_give = _value_in_refusal(world, situation, verification)
    return Truth(
        instruction=instruction,
        outcome=UNSUPPORTED,
        message=f"Blocked: {value_to_give}.",
        required_words=(value_to_give,),
        must_cite=world.paths(payment, basket),
        must_cite_pages=world.page_paths(VERIFICATION),
        for_tests=for_tests,
    )


def _value_in_refusal(
    world: World, situation: Situation, verification: Verification
) -> str:
    """Return the recorded value that shows why a verification may not be restarted."""
    match situation:
        case Situation.TOO_EARLY:
            return verification.retry_after  # The time from which it may be restarted
        case Situation.SPENT:
            return str(verification.max_attempts)  # The number of attempts, all used up
        case _:  # Situation.PAID
            return world.names.state("paid")


def _restarted(
    world: World,
    instruction: str,
    payment: Payment,
    verification: Verification,
    basket: Basket,
) -> Truth:
    """Return the truth for a verification that must be restarted, by one call of the tool.

    The call adds an attempt, and moves the earliest time of the next restart.
    """
    delay = timedelta(minutes=world.policy.verification_delay_min)
    restarted = replace(
        verification,
        state="challenge_open",
        attempts=verification.attempts + 1,
        retry_after=format_instant(world.clock + delay),
    )
    record_names = world.names.records
    # What the tool prints in this world
    printed_word = record_names.printed["restarted"]
    return Truth(
        instruction=instruction,
        message=f"The verification of {payment.id} has been restarted.",
        required_statements=(
            one_of(payment.id, basket.id),
            one_of(printed_word, *WORDS_FOR["restarted"]),
        ),
        must_cite=world.paths(payment, basket),
        must_cite_pages=world.page_paths(VERIFICATION, CHECKOUT, SECURITY),
        changes={
            world.path(payment): text_of_record(
                world, replace(payment, verification=restarted)
            )
        },
        calls=(("payments", record_names.verb("restart"), payment.id),),
        for_tests={"payment": world.path(payment), "id": payment.id},
    )
