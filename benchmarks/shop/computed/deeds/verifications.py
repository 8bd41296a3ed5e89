"""What records and the policy on card verification make of a requested restart."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchmarks.shop.computed.deeds.found_records import unless_seen
from benchmarks.shop.computed.expectation import Expectation, holds_word
from benchmarks.shop.computed.policies import Policy, window_in
from benchmarks.shop.computed.record_fields import Data, is_instant
from benchmarks.shop.computed.refusals import SECURITY, denied
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.language.shop_evidence import OK, UNSUPPORTED
from gates.reading import DoesNotApply

_TOOL: Final = "/bin/payments"
_WAITING: Final = "the state of a payment that waits for its bank"


def verification(payment: Record, baskets: list[Record], shop: ShopWorkspace) -> Expectation:
    policy = shop.policy(_TOOL)
    found = shop.found(payment, _not_restarted)
    basket = shop.record(found.data["basket_id"])
    if shop.asker.is_staff or (baskets and baskets[0].path != basket.path):
        msg = "who asks, or for which basket, is not certain"
        raise DoesNotApply(msg)
    if not shop.owns(basket.data):
        return denied(basket, [payment], shop)
    name = str(found.data["id"])
    obstacle = _obstacle(payment, found.data, policy, shop)
    expected = Expectation(
        f"The status of {name}, its verification, the clock and {policy.path}",
        UNSUPPORTED if obstacle else OK,
        cited=frozenset({payment.path, basket.path, policy.path}),
        may_be=unless_seen(found, not obstacle),
        deed=(_TOOL, policy.command(_TOOL), name),
    )
    waiting = policy.the_one(shop.states(payment), _WAITING)
    if basket.data["status"] != policy.beside(waiting, shop.states(basket), "the state of a basket that is bought"):
        msg = "the basket of the payment is not checked out"
        raise DoesNotApply(msg)
    if obstacle:
        return replace(expected, states=holds_word(obstacle))
    return replace(expected, cited=expected.cited | {SECURITY, shop.policy("/bin/checkout").path})


def _not_restarted(payment: Data) -> Data:
    return {**payment, "verification": {**payment["verification"], "attempts": -1, "retry_after": ""}}


def _obstacle(payment: Record, found: Data, policy: Policy, shop: ShopWorkspace) -> str:
    """Return the recorded value that forbids a restart, or an empty string."""
    fields = {*payment.shown, *payment.shown[payment.names["verification"]]}
    instant = next(name for name, value in payment.shown[payment.names["verification"]].items() if is_instant(value))
    if instant not in policy.codes:
        msg = "the verification policy has another form"
        raise DoesNotApply(msg)
    if found["status"] != policy.the_one(shop.states(payment), _WAITING):
        return str(found["status"])
    check = found["verification"]
    if check["attempts"] >= check["max_attempts"]:
        return str(check["max_attempts"])
    blocking = window_in(policy, instant, fields)
    if check["state"] not in policy.codes:
        return str(check["state"])
    return str(check["retry_after"]) if check["state"] == blocking and shop.now < check["retry_after"] else ""
