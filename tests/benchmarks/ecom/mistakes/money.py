"""Wrong answers typical of the families about discounts, refunds and payments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.ecom.tasks.families.money import (
    discount_grant,
)
from benchmarks.ecom.tasks.reference_hands import Desk
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Answer, Truth
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution


def discount_authority_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the discount given all the same, and a refusal of the other class."""

    def given(desk: Desk, truth: Truth) -> Answer:
        told = truth.handles
        desk.run("/bin/discount", told["basket"], told["percent"], told["reason"], desk.who()["user"])
        return desk.conclude(truth, f"{told['basket']} has {told['percent']} percent off now.", outcome=OK)

    other = UNSUPPORTED if truth.outcome == DENIED else DENIED
    return {
        "given all the same": given,
        "the other kind of refusal": lambda desk, truth: desk.conclude(truth, truth.message, outcome=other),
    }


def discount_grant_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return another percentage and another issuer."""
    percent = int(truth.handles["percent"])
    return {
        "one percent more": lambda desk, truth: discount_grant.give_discount(
            desk, truth, percent + 1, truth.handles["issuer"]
        ),
        "somebody else's name": lambda desk, truth: discount_grant.give_discount(desk, truth, percent, "emp-0"),
    }


def discount_limit_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the discount as asked for, the maximum given in its place, and a refusal that names a wrong maximum."""

    def given(desk: Desk, truth: Truth, percent: str) -> Answer:
        told = truth.handles
        desk.run("/bin/discount", told["basket"], percent, told["reason"], told["issuer"])
        return desk.conclude(truth, f"{told['basket']} has {percent} percent now.", outcome=OK)

    return {
        "given as asked": lambda desk, truth: given(desk, truth, truth.handles["percent"]),
        "the maximum given instead": lambda desk, truth: given(desk, truth, truth.handles["maximum"]),
        "a wrong maximum": lambda desk, truth: replace(
            desk.conclude(truth, f"The maximum is {int(truth.handles['maximum']) + 20} percent."), tokens=()
        ),
    }


def refund_approval_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a refund pushed to its end, and an approval that the policy does not allow."""

    def closed(desk: Desk, truth: Truth) -> Answer:
        desk.run("/bin/refund", "close", truth.handles["return"])
        return desk.conclude(truth, f"Refund of {truth.handles['return']} closed.", outcome=OK)

    def pushed(desk: Desk, truth: Truth) -> Answer:
        desk.run("/bin/refund", "approve", truth.handles["return"])
        return desk.conclude(truth, f"Return {truth.handles['return']} is refund_pending now.", outcome=OK)

    return {"closed in one go": closed} if truth.outcome == OK else {"closed": closed, "approved all the same": pushed}


def refund_closure_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a refund set back to pending, one that is only said to be closed, and one closed against the rules."""

    def approved(desk: Desk, truth: Truth) -> Answer:
        desk.run("/bin/refund", "approve", truth.handles.get("return", "none"))
        return desk.conclude(truth, "It is on its way.", outcome=OK)

    def pushed(desk: Desk, truth: Truth) -> Answer:
        desk.run("/bin/refund", "close", truth.handles.get("return", "none"))
        return desk.conclude(truth, "The refund is closed.", outcome=OK)

    return {"approved": approved} if truth.outcome == OK else {"approved": approved, "closed all the same": pushed}


def verification_restart_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a payment marked paid by hand, and a restart against the rules or done twice."""

    def marked(desk: Desk, truth: Truth) -> Answer:
        path = truth.handles["payment"]
        desk.write(path, desk.read(path).replace('"status": "awaiting_verification"', '"status": "settled"') + " ")
        return desk.conclude(truth, "It is paid.", outcome=OK)

    def again(desk: Desk, truth: Truth) -> Answer:
        for _ in range(2 if truth.outcome == OK else 1):
            desk.run("/bin/payments", "restart-verification", truth.handles["id"])
        return desk.conclude(truth, "The verification has been restarted.", outcome=OK)

    return {"marked as paid": marked, "restarted once too often": again}
