"""A customer's card verification is stuck; state, attempts and the retry window decide whether it is restarted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import OK, UNSUPPORTED, Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_documents,
    cite_records,
    foreign_payment,
    paid_basket,
    sign_in_customer,
)
from benchmarks.ecom.world.documents import CHECKOUT, SECURITY, VERIFICATION
from benchmarks.ecom.world.generator import World, format_instant
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Payment, Verification

ABANDONED, DUE, EARLY, SPENT, PAID, FOREIGN = "abandoned", "due", "early", "spent", "paid", "foreign"
VARIANTS: Final = (
    Variant("it may be restarted", 1),
    Variant("its window is not open yet", 1),
    Variant("no attempt left, or paid", 2),
    Variant("another customer's", 1),
)
CASES: Final = {1: (ABANDONED, DUE), 2: (EARLY,), 3: (SPENT, PAID), 4: (FOREIGN,)}
WORDINGS: Final = Wordings(
    (
        "The bank check for my payment {payment} (basket {basket}) is stuck. Restart it, or tell me what blocks it.",
        "My basket {basket} hangs at the card verification, payment {payment}. Start it again, or tell me why not and "
        "from when on.",
        "Verification of {payment} did not go through. Restart it safely; if that is blocked, name the recorded "
        "reason.",
    ),
    (
        "I am stuck at the confirmation step of {payment} (basket {basket}). Please let me try again, or say what "
        "prevents it and when it will be possible.",
    ),
)
UNNAMED: Final = Wordings(
    (
        "The bank verification for my basket {basket} got stuck. Please start it again safely; I am in a hurry, but "
        "nothing that payment safety forbids, please.",
        "The card verification for basket {basket} hangs. Start it again if policy allows.",
    ),
    ("I ordered {basket}, but the card verification never finished. Please restart it if you may.",),
)
"""Requests that leave the payment to be found."""


def _add_others(world: World, customer: str) -> None:
    """Add stuck payments of the same customer and of somebody else, which are not the one that is asked about."""
    for owner in (customer, world.new_id("cust"), world.new_id("cust")):
        other = paid_basket(world, owner)
        other.verification = _verification(world, world.rng.choice((ABANDONED, DUE, EARLY, SPENT)))
        other.status = "awaiting_verification"


def _verification(world: World, case: str) -> Verification:
    rng = world.rng
    limit = world.policy.verification_attempts
    attempts = limit if case == SPENT else rng.randint(1, limit - 1)
    is_open = case in (DUE, EARLY)
    state = "challenge_open" if is_open else rng.choice(("challenge_abandoned", "challenge_timed_out"))
    minutes = rng.randint(3, 50) * (1 if case == EARLY or (not is_open and rng.random() < 0.5) else -1)
    return Verification(state, attempts, limit, format_instant(world.clock + timedelta(minutes=minutes)))


def _restarted(world: World, payment: Payment, before: Verification) -> str:
    again = format_instant(world.clock + timedelta(minutes=world.policy.verification_delay_min))
    after = Verification("challenge_open", before.attempts + 1, before.max_attempts, again)
    return world.text(replace(payment, verification=after))


def pose(world: World, variant: int) -> Truth:
    """Request the restart of one payment's verification."""
    case = world.rng.choice(CASES[variant])
    customer = sign_in_customer(world)
    payment = paid_basket(world, customer if case != FOREIGN else world.new_id("cust"))
    before = payment.verification = _verification(world, case)
    if case != PAID:
        payment.status = "awaiting_verification"
    basket = world.baskets[payment.basket_id]
    _add_others(world, customer)
    is_unnamed = case in (ABANDONED, DUE) and world.rng.random() < 0.7
    wording = world.say(UNNAMED if is_unnamed else WORDINGS).format(payment=payment.id, basket=basket.id)
    inputs = {"payment": world.path(payment), "id": payment.id}
    if case == FOREIGN:
        return foreign_payment(world, wording, payment, inputs)
    token = {EARLY: before.retry_after, SPENT: str(before.max_attempts), PAID: world.names.state("paid")}.get(case, "")
    is_allowed = not token
    return Truth(
        instruction=wording,
        outcome=OK if is_allowed else UNSUPPORTED,
        message=f"The verification of {payment.id} has been restarted." if is_allowed else f"Blocked: {token}.",
        tokens=(token,) if token else (),
        records=cite_records(world, [payment, basket]),
        documents=cite_documents(world, VERIFICATION, *((CHECKOUT, SECURITY) if is_allowed else ())),
        changes={world.path(payment): _restarted(world, payment, before)} if is_allowed else {},
        inputs=inputs,
    )
