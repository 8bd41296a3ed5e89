"""Card verifications that are stuck, drawn for the situation that a task is about.

A verification has a state, a number of attempts, and a time from which it may be restarted:
`{"state": "challenge_open", "attempts": 1, "max_attempts": 3, "retry_after": "..."}`. The
situation decides which of them allows or forbids the restart; the others are random.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Final

from controlplane.benchmarks.ecom.world.purchases import add_paid_basket
from controlplane.benchmarks.ecom.world.records import Verification
from controlplane.benchmarks.ecom.world.world import World, format_instant


class Situation(StrEnum):
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


SITUATIONS_OF_CASE: Final = {
    "possible": (Situation.ABANDONED, Situation.DUE),
    "too early": (Situation.TOO_EARLY,),
    "spent or paid": (Situation.SPENT, Situation.PAID),
    "another customer's": (Situation.FOREIGN,),
}


def draw_verification(world: World, situation: Situation) -> Verification:
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
    if situation is not Situation.SPENT:
        attempts = rng.randint(1, max_attempts - 1)
    is_open = situation in (Situation.DUE, Situation.TOO_EARLY)
    state = "challenge_open"
    if not is_open:
        state = rng.choice(("challenge_abandoned", "challenge_timed_out"))

    distance = timedelta(minutes=rng.randint(3, 50))
    if is_open:
        is_in_future = situation is Situation.TOO_EARLY
    else:
        # Only an open verification waits for the time. Here it may mislead.
        is_in_future = rng.random() < 0.5
    if is_in_future:
        retry_after = world.clock + distance
    else:
        retry_after = world.clock - distance
    return Verification(state, attempts, max_attempts, format_instant(retry_after))


def add_other_stuck_payments(world: World, customer: str) -> None:
    """Add stuck payments that the request does not mean.

    One belongs to the asker, two to other customers.
    """
    for owner in (customer, world.new_id("cust"), world.new_id("cust")):
        payment = add_paid_basket(world, owner)
        situation = world.rng.choice(
            (Situation.ABANDONED, Situation.DUE, Situation.TOO_EARLY, Situation.SPENT)
        )
        payment.verification = draw_verification(world, situation)
        payment.status = "awaiting_verification"
