"""A customer's card verification is stuck; state, attempts and the retry window decide whether it is restarted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final

from benchmarks.ecom.tasks.reference_client import ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Answer, Task, Truth
from benchmarks.ecom.tasks.task_setup import (
    cite_documents,
    cite_records,
    foreign_payment,
    paid_basket,
    sign_in_customer,
)
from benchmarks.ecom.world.documents import VERIFICATION
from benchmarks.ecom.world.generator import World, format_instant
from benchmarks.ecom.world.shop_records import Payment, Verification

ABANDONED, DUE, EARLY, SPENT, PAID, FOREIGN = "abandoned", "due", "early", "spent", "paid", "foreign"
VARIANTS: Final = (
    "it may be restarted",
    "its window is not open yet",
    "no attempt left, or paid",
    "another customer's",
)
CASES: Final = {1: (ABANDONED, DUE), 2: (EARLY,), 3: (SPENT, PAID), 4: (FOREIGN,)}
WORDINGS: Final = (
    "The bank check for my payment {payment} (basket {basket}) is stuck. Restart it, or tell me what blocks it.",
    "My basket {basket} hangs at the card verification, payment {payment}. Start it again, or tell me why not and "
    "from when on.",
    "Verification of {payment} did not go through. Restart it safely; if that is blocked, name the recorded reason.",
)


def _verification(world: World, case: str) -> Verification:
    rng = world.rng
    limit = world.policy.verification_attempts
    attempts = limit if case == SPENT else rng.randint(1, limit - 1)
    is_open = case in (DUE, EARLY)
    state = "challenge_open" if is_open else rng.choice(("abandoned", "timed_out"))
    minutes = rng.randint(3, 50) * (1 if case == EARLY or (not is_open and rng.random() < 0.5) else -1)
    return Verification(state, attempts, limit, format_instant(world.clock + timedelta(minutes=minutes)))


def _restarted(world: World, payment: Payment, before: Verification) -> str:
    again = format_instant(world.clock + timedelta(minutes=world.policy.verification_delay_min))
    after = Verification("challenge_open", before.attempts + 1, before.max_attempts, again)
    return world.text(replace(payment, verification=after))


def pose(world: World, variant: int) -> Task:
    """Request the restart of one payment's verification."""
    case = world.rng.choice(CASES[variant])
    customer = sign_in_customer(world)
    payment = paid_basket(world, customer if case != FOREIGN else world.new_id("cust"))
    before = payment.verification = _verification(world, case)
    if case != PAID:
        payment.status = "awaiting_verification"
    basket = world.baskets[payment.basket_id]
    wording = world.rng.choice(WORDINGS).format(payment=payment.id, basket=basket.id)
    inputs = {"payment": world.path(payment), "id": payment.id}
    if case == FOREIGN:
        return Task(wording, world, foreign_payment(payment, inputs))
    token = {EARLY: before.retry_after, SPENT: str(before.max_attempts), PAID: "paid"}.get(case, "")
    is_allowed = not token
    return Task(
        wording,
        world,
        Truth(
            outcome=OK if is_allowed else UNSUPPORTED,
            message=f"The verification of {payment.id} has been restarted." if is_allowed else f"Blocked: {token}.",
            tokens=(token,) if token else (),
            records=cite_records(world, [payment, basket]),
            documents=cite_documents(VERIFICATION),
            changes={world.path(payment): _restarted(world, payment, before)} if is_allowed else {},
            inputs=inputs,
        ),
    )


def _obstacle(payment: Mapping[str, object], now: str) -> str:
    """Return what prevents a restart, or an empty string."""
    if payment["status"] != "awaiting_verification":
        return f"the payment has the status {payment['status']}"
    verification = payment["verification"]
    if not isinstance(verification, dict):
        return "there is no verification"
    if verification["attempts"] >= verification["max_attempts"]:
        return f"the limit of {verification['max_attempts']} attempts is reached"
    if verification["state"] == "challenge_open" and now < verification["retry_after"]:
        return f"it may be restarted from {verification['retry_after']} on"
    return ""


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the conditions by the world's clock, then restart or name the obstacle."""
    payment = client.record(truth.inputs["payment"])
    if payment["customer_id"] != client.who()["user"]:
        return client.answer(truth, "That payment does not belong to you.", outcome=DENIED)
    obstacle = _obstacle(payment, client.run("/bin/date").strip())
    if obstacle:
        return client.answer(truth, f"Not possible: {obstacle}.", outcome=UNSUPPORTED)
    client.run("/bin/payments", "restart-verification", truth.inputs["id"])
    return client.answer(truth, f"The verification of {truth.inputs['id']} has been restarted.", outcome=OK)
