"""Payments: advance a refund, restart a card verification."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Change, Conclusion, Proof, cite_records, deny
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import refund_role
from benchmarks.ecom.player.skills.basket_skill import BASKET, refusal

PAYMENT: Final = re.compile(r"\bpay(?:ment)?[-_]\d+\b", re.IGNORECASE)
RETURN: Final = re.compile(r"\b(?:ret|return|rma)[-_]\d+\b", re.IGNORECASE)
CLOSING: Final = re.compile(r"\b(?:clos\w+|finish\w*|complet\w+|conclud\w+|finali[sz]\w+|wrap)\b", re.IGNORECASE)
STEPS: Final = {"approve": ("approved", "refund_pending"), "close": ("refund_pending", "closed")}
"""For each step, the status that a return must have before it, and the one that it has after."""


def advance_refund(known: Knowledge) -> Conclusion:
    """Approve or close a refund if role, owner and status allow it, else name the status."""
    who = known.identity
    step = "close" if CLOSING.search(known.instruction) else "approve"
    role = refund_role(known)
    if step == "approve" and role not in who.roles:
        return deny(known, f"Approving a refund takes the role {role}, which {who.user} does not have.")
    if step == "close" and who.is_staff:
        return deny(known, "A refund is closed by the customer whom it belongs to.")
    payment, returned = _payment_and_return(known)
    refused = refusal(known, payment, returned)
    if refused:
        return refused
    citations = {**cite_records(payment, returned), **known.cite("returns")}
    if payment is None or returned is None:
        missing = f"no return is tied to {payment.text('id')}" if payment else "there is no such payment"
        return Conclusion(f"Nothing was changed: {missing}.", UNSUPPORTED, citations)
    needed, reached = STEPS[step]
    if returned.text("status") != needed or payment.text("status") != "paid":
        stands = f"the return is {returned.text('status')}, the payment {payment.text('status')}"
        return Conclusion(f"Nothing was changed: {stands}.", UNSUPPORTED, citations)
    return Conclusion(
        f"Return {returned.text('id')} is {reached}.",
        OK,
        citations,
        changes=(Change("execute", "/bin/refund", (step, returned.text("id"))),),
        proof=Proof(returned.path, reached, "status"),
    )


def _payment_and_return(known: Knowledge) -> tuple[Record | None, Record | None]:
    named_return, named_payment = RETURN.search(known.instruction), PAYMENT.search(known.instruction)
    if named_return:
        returned = known.record("returns", named_return[0])
        return (known.record("payments", returned.text("payment_id")) if returned else None), returned
    if named_payment is None:
        return None, None
    payment, returns = known.look_up_both(
        lambda: known.record("payments", named_payment[0]),
        lambda: known.records_matching("returns", f'"payment_id": "{named_payment[0]}"'),
    )
    return payment, next(iter(returns), None)


def restart_verification(known: Knowledge) -> Conclusion:
    """Restart a card verification if every condition holds, else name the recorded obstacle."""
    payment = _payment(known)
    basket = known.record("baskets", payment.text("basket_id")) if payment else None
    refused = refusal(known, payment, basket)
    if refused:
        return refused
    if known.identity.is_staff:
        return deny(known, "Only the customer whom the payment belongs to may have its verification restarted.")
    citations = {**cite_records(payment, basket), **known.cite("verification")}
    if payment is None or basket is None:
        return Conclusion("There is no such payment.", UNSUPPORTED, citations)
    obstacle = _obstacle(payment, basket, known.now.strftime("%Y-%m-%dT%H:%M:%SZ"))
    if obstacle:
        return Conclusion(f"{payment.text('id')} cannot be verified again: {obstacle}.", UNSUPPORTED, citations)
    return Conclusion(
        f"The verification of {payment.text('id')} was started again; it stays unpaid until the bank agrees.",
        OK,
        citations,
        changes=(Change("execute", "/bin/payments", ("restart-verification", payment.text("id"))),),
        proof=Proof(payment.path, "challenge_open", "verification.state"),
    )


def _payment(known: Knowledge) -> Record | None:
    """Return the payment that the task names, or the payment for the basket that it names."""
    named, basket = PAYMENT.search(known.instruction), BASKET.search(known.instruction)
    if named:
        return known.record("payments", named[0])
    found = known.records_matching("payments", f'"basket_id": "{basket[0]}"') if basket else []
    return next(iter(found), None)


def _obstacle(payment: Record, basket: Record, now: str) -> str:
    """Return what prevents a restart, with the recorded value, or an empty string."""
    verification = payment.part("verification")
    if payment.text("status") != "awaiting_verification" or verification is None:
        return f"its status is {payment.text('status')}"
    if basket.text("status") != "checked_out":
        return f"its basket is {basket.text('status')}"
    if verification.number("attempts") >= verification.number("max_attempts"):
        return f"all {verification.number('max_attempts')} attempts are used up"
    if verification.text("state") in ("abandoned", "timed_out"):
        return ""
    if verification.text("state") != "challenge_open":
        return f"its verification is {verification.text('state')}"
    again = verification.text("retry_after")
    return f"it may be tried again from {again} on" if now < again else ""
