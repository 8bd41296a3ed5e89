"""The task to restart a card verification that is stuck."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Family
from controlplane.benchmarks.ecom.tasks.refusals import denied_to_others
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, one_of
from controlplane.benchmarks.ecom.world.names import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import CHECKOUT, SECURITY, VERIFICATION
from controlplane.benchmarks.ecom.world.purchases import add_paid_basket
from controlplane.benchmarks.ecom.world.records import CardVerification
from controlplane.benchmarks.ecom.world.world import (
    World,
    format_instant,
    sign_in_customer,
    text_of_record,
)
from controlplane.sandbox.interface.outcomes import UNSUPPORTED

# Card verifications that are stuck, drawn for the situation that a task is about.
#
# A verification has a state, a number of attempts, and a time from which it may be restarted:
# `{"state": "challenge_open", "attempts": 1, "max_attempts": 3, "retry_after": "..."}`. The
# situation decides which of them allows or forbids the restart; the others are random.


class _Situation(StrEnum):
    """The state of the verification that a request wants to restart."""

    ABANDONED = "abandoned"
    """The customer left it or it timed out. It may be restarted at once, without waiting."""
    DUE = "due"
    """It is open, and the time from which it may be restarted has passed."""
    TOO_EARLY = "early"
    """It is open, and the time from which it may be restarted is later today."""
    SPENT = "spent"
    """All its attempts are used up."""
    PAID = "paid"
    """The payment is paid, so nothing is left to verify."""
    FOREIGN = "foreign"
    """It belongs to another customer."""


_SITUATIONS_OF_CASE: Final = {
    "possible": (_Situation.ABANDONED, _Situation.DUE),
    "too early": (_Situation.TOO_EARLY,),
    "spent or paid": (_Situation.SPENT, _Situation.PAID),
    "another customer's": (_Situation.FOREIGN,),
}


def _draw_verification(world: World, situation: _Situation) -> CardVerification:
    """Return a random verification in this situation.

    | situation   | state               | attempts | earliest time of a restart |
    | ----------- | ------------------- | -------- | -------------------------- |
    | `DUE`       | open                | some     | in the past                |
    | `TOO_EARLY` | open                | some     | in the future              |
    | `SPENT`     | left, or timed out  | all      | either                     |
    | any other   | left, or timed out  | some     | either                     |
    """
    rng = world.rng
    max_attempts = world.policy.verification_attempts
    attempts = max_attempts
    if situation is not _Situation.SPENT:
        attempts = rng.randint(1, max_attempts - 1)
    is_open = situation in (_Situation.DUE, _Situation.TOO_EARLY)
    state = "challenge_open"
    if not is_open:
        state = rng.choice(("challenge_abandoned", "challenge_timed_out"))

    distance = timedelta(minutes=rng.randint(3, 50))
    if is_open:
        is_in_future = situation is _Situation.TOO_EARLY
    else:
        # Only an open verification waits for the time. Here it may mislead.
        is_in_future = rng.random() < 0.5
    if is_in_future:
        retry_after = world.clock + distance
    else:
        retry_after = world.clock - distance
    return CardVerification(state, attempts, max_attempts, format_instant(retry_after))


_STUCK: Final = (
    _Situation.ABANDONED,
    _Situation.DUE,
    _Situation.TOO_EARLY,
    _Situation.SPENT,
)
"""The situations of payments that the request does not mean: the asker's, and other customers'."""


# The task to restart a card verification that is stuck.
#
# When a customer pays by card, the bank may ask for a confirmation (3-D Secure). If the
# customer never confirms, the payment waits. The verification may be restarted if attempts
# are left and the waiting time is over: `/bin/payments restart pay-0031`.


def _verification_restart(world: World, case: str) -> TaskTruth:
    """Ask for the restart of a payment's stuck card verification.

    Right: restart it once, with the tool, if attempts are left and the earliest time
    has passed. Otherwise refuse it, and give that time, the number of attempts or the
    payment's state. Deny it if the payment is another customer's.

    Wrong: restart it twice, or mark the payment as paid.

    Cases: `possible`, `too early`, `spent or paid`, `another customer's`. A case has one or
    two situations (see `_SITUATIONS_OF_CASE`).
    """
    # 1. Add the payment of the asker or of another customer, and some that are not meant.
    rng = world.rng
    situation = rng.choice(_SITUATIONS_OF_CASE[case])
    customer = sign_in_customer(world)
    owner = customer
    if situation is _Situation.FOREIGN:
        owner = world.new_id("cust")
    payment = add_paid_basket(world, owner)
    verification = _draw_verification(world, situation)
    payment.verification = verification
    if situation is not _Situation.PAID:
        payment.status = "awaiting_verification"
    basket = world.baskets[payment.basket_id]
    for other_owner in (customer, world.new_id("cust"), world.new_id("cust")):
        other_payment = add_paid_basket(world, other_owner)
        other_payment.verification = _draw_verification(world, rng.choice(_STUCK))
        other_payment.status = "awaiting_verification"

    # 2. Build the truth: the request, which names the payment or its basket, and the right
    #    answer.
    instruction = world.wording("verification", payment=payment.id, basket=basket.id)
    for_tests = {"payment": world.path(payment), "id": payment.id}
    if situation is _Situation.FOREIGN:
        return denied_to_others(
            world, instruction, basket, payment=payment, for_tests=for_tests
        )
    if case != "possible":
        # The recorded value that shows why it may not be restarted
        match situation:
            case _Situation.TOO_EARLY:
                value_to_give = verification.retry_after
            case _Situation.SPENT:
                value_to_give = str(verification.max_attempts)
            case _:  # Situation.PAID
                value_to_give = world.names.state("paid")
        return TaskTruth(
            instruction=instruction,
            outcome=UNSUPPORTED,
            message=f"Blocked: {value_to_give}.",
            required_words=(value_to_give,),
            must_cite=world.paths(payment, basket),
            must_cite_pages=world.page_paths(VERIFICATION),
            for_tests=for_tests,
        )

    # 3. One call of the tool adds an attempt, and moves the earliest time of the next restart.
    delay = timedelta(minutes=world.policy.verification_delay_min)
    restarted = replace(
        verification,
        state="challenge_open",
        attempts=verification.attempts + 1,
        retry_after=format_instant(world.clock + delay),
    )
    new_text = text_of_record(world, replace(payment, verification=restarted))
    record_names = world.names.records
    # What the tool prints in this world
    printed_word = record_names.printed["restarted"]
    return TaskTruth(
        instruction=instruction,
        message=f"The verification of {payment.id} has been restarted.",
        required_statements=(
            one_of(payment.id, basket.id),
            one_of(printed_word, *WORDS_FOR["restarted"]),
        ),
        must_cite=world.paths(payment, basket),
        must_cite_pages=world.page_paths(VERIFICATION, CHECKOUT, SECURITY),
        changes={world.path(payment): new_text},
        calls=(("payments", record_names.verb("restart"), payment.id),),
        for_tests=for_tests,
    )


FAMILIES: Final = (
    Family(
        "verification-restart",
        _verification_restart,
        task_count=5,
        about="a stuck card verification",
        pages="verification checkout",
        cases={
            "possible": 9,
            "too early": 3,
            "spent or paid": 4,
            "another customer's": 4,
        },
    ),
)
