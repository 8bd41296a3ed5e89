"""Payments: advance a refund, restart a card verification."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Change, Conclusion, cite_records, deny
from benchmarks.ecom.player.knowledge import Knowledge, Record
from benchmarks.ecom.player.read_policies import has_role_of, verbs_of, words_beside
from benchmarks.ecom.player.skills.basket_skill import BASKET, refusal

PAYMENT: Final = re.compile(r"\bpay(?:ment)?[-_]\d+\b", re.IGNORECASE)
RETURN: Final = re.compile(r"\b(?:ret|return|rma)[-_]\d+\b", re.IGNORECASE)
CLOSING: Final = re.compile(r"\b(?:clos\w+|finish\w*|complet\w+|conclud\w+|finali[sz]\w+|wrap)\b", re.IGNORECASE)
STANDS_OPEN: Final = re.compile(r"\bopen\b|\bactive\b|\bblocks\b")
IS_OVER: Final = re.compile(r"abandon|given up|gave up|timed? out|time-?out|expired|ran out|dropped|broken off")


def advance_refund(known: Knowledge) -> Conclusion:
    """Approve or close a refund if role, owner and status allow it, else name the status."""
    who = known.identity
    step = "close" if CLOSING.search(known.instruction) else "approve"
    if step == "approve" and not has_role_of(known, "returns"):
        return deny(known, f"Approving a refund takes a role for it, which {who.user} does not have.")
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
    verbs = verbs_of(known, "/bin/refund")
    approval, closure = (words_beside(known, "returns", f"/bin/refund {each}") for each in verbs[:2])
    fitting = approval - closure if step == "approve" else approval & closure
    if returned.text("status") not in fitting or payment.text("status") not in approval & closure:
        stands = f"the return is {returned.text('status')}, the payment {payment.text('status')}"
        return Conclusion(f"Nothing was changed: {stands}.", UNSUPPORTED, citations)
    return Conclusion(
        f"The refund of {returned.text('id')} has taken its next step.",
        OK,
        citations,
        changes=(Change("execute", "/bin/refund", (verbs[step == "close"], returned.text("id"))),),
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
        lambda: known.records_matching("returns", f': "{named_payment[0]}"'),
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
    obstacle = _obstacle(known, payment, basket)
    if obstacle:
        return Conclusion(f"{payment.text('id')} cannot be verified again: {obstacle}.", UNSUPPORTED, citations)
    return Conclusion(
        f"The verification of {payment.text('id')} was started again; it stays unpaid until the bank agrees.",
        OK,
        {**citations, **known.cite("checkout", "security")},
        changes=(Change("execute", "/bin/payments", (verbs_of(known, "/bin/payments")[0], payment.text("id"))),),
    )


def _payment(known: Knowledge) -> Record | None:
    """Return the payment that the task names, or the payment for the basket that it names."""
    named, basket = PAYMENT.search(known.instruction), BASKET.search(known.instruction)
    if named:
        return known.record("payments", named[0])
    found = known.records_matching("payments", f': "{basket[0]}"') if basket else []
    return next(iter(found), None)


def _obstacle(known: Knowledge, payment: Record, basket: Record) -> str:
    """Return what prevents a restart, with the recorded value, or an empty string."""
    words = known.words_in("verification")
    verification = payment.part("verification")
    if payment.text("status") not in words or verification is None:
        return f"its status is {payment.text('status')}"
    if basket.text("status") not in words:
        return f"its basket is {basket.text('status')}"
    if verification.number("attempts") >= verification.number("max_attempts"):
        return f"all {verification.number('max_attempts')} attempts are used up"
    again = verification.text("retry_after")
    is_early = known.now.strftime("%Y-%m-%dT%H:%M:%SZ") < again
    return f"it may be tried again from {again} on" if is_early and _is_open(known, verification.text("status")) else ""


def _is_open(known: Knowledge, state: str) -> bool:
    """Say whether the document calls the state of a challenge open, just before or behind its name, or not over."""
    text = re.sub(r"\s+", " ", known.document_text("verification"))
    places = list(re.finditer(rf"(.{{0,20}})`{re.escape(state)}`(.{{0,34}})", text))
    near = " ".join(f"{each[1]} {each[2].split('`')[0]}" for each in places)
    return bool(STANDS_OPEN.search(near)) or not IS_OVER.search(near)
