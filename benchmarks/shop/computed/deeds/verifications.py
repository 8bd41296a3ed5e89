"""What records and the policy on card verification make of a requested restart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from benchmarks.shop.computed.deeds.found_records import unless_seen
from benchmarks.shop.computed.expectation import Expectation, holds_word
from benchmarks.shop.computed.refusals import denied
from benchmarks.shop.computed.shop_workspace import Data, Record, ShopWorkspace
from benchmarks.shop.language.shop_evidence import OK, UNSUPPORTED
from gates.reading import DoesNotApply

_VERIFICATION: Final = "/docs/payments/verification.md"
_CONDITIONS: Final = (
    *("awaiting_verification", "checked_out", "attempts", "max_attempts"),
    *("abandoned", "timed_out", "challenge_open", "retry_after"),
)
"""Names in the conditions; a policy that leaves one out has others."""


def verification(payment: Record, baskets: list[Record], shop: ShopWorkspace) -> Expectation:
    policy = shop.document(_VERIFICATION)
    if not all(f"`{each}`" in policy for each in _CONDITIONS):
        msg = "the verification policy has another form"
        raise DoesNotApply(msg)
    found = shop.found(payment, _not_restarted)
    basket = shop.record(found.data["basket_id"])
    if shop.asker.is_staff or (baskets and baskets[0].path != basket.path):
        msg = "who asks, or for which basket, is not certain"
        raise DoesNotApply(msg)
    if not shop.owns(basket.data):
        return denied(basket, [payment], shop)
    name = str(found.data["id"])
    obstacle = _obstacle(found.data, shop.now)
    expected = Expectation(
        f"The status of {name}, its verification, the clock and /docs/payments/verification.md",
        UNSUPPORTED if obstacle else OK,
        cited=frozenset({payment.path, basket.path, _VERIFICATION}),
        may_be=unless_seen(found, not obstacle),
        deed=("/bin/payments", "restart-verification", name),
    )
    if basket.data["status"] != "checked_out":
        msg = "the basket of the payment is not checked out"
        raise DoesNotApply(msg)
    return replace(expected, states=holds_word(obstacle)) if obstacle else expected


def _not_restarted(payment: Data) -> Data:
    verification = payment["verification"]
    before = {**verification, "state": "timed_out", "attempts": verification["attempts"] - 1}
    return {**payment, "verification": before}


def _obstacle(payment: Data, now: str) -> str:
    """Return the recorded value that forbids a restart, or an empty string."""
    if payment["status"] != "awaiting_verification":
        return str(payment["status"])
    verification: Any = payment["verification"]
    if verification["attempts"] >= verification["max_attempts"]:
        return str(verification["max_attempts"])
    if verification["state"] == "challenge_open":
        return str(verification["retry_after"]) if now < verification["retry_after"] else ""
    if verification["state"] not in ("abandoned", "timed_out"):
        return str(verification["state"])
    return ""
