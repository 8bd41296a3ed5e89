"""What records and the policy on returns make of a requested refund."""

from __future__ import annotations

from typing import Final

from benchmarks.shop.computed.deeds.found_records import unless_seen
from benchmarks.shop.computed.deeds.policy_figures import role_in, states_before
from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.refusals import SECURITY
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.language.record_kinds import Kind
from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED
from gates.reading import DoesNotApply

_RETURNS: Final = "/docs/returns.md"
_TOOL: Final = "/bin/refund"


def refund(payments: list[Record], returns: list[Record], shop: ShopWorkspace) -> Expectation:
    policy = shop.document(_RETURNS)
    steps, role = states_before(policy, _TOOL, ("return", "payment")), role_in(policy)
    step = "approve" if shop.asker.is_staff else "close"
    if step not in steps:
        msg = "the refund policy has another form"
        raise DoesNotApply(msg)
    payment, returned = _pair(payments, returns, shop)
    records = frozenset(each.path for each in (payment, returned) if each is not None)
    if shop.asker.is_staff and role not in shop.asker.roles:
        own = shop.record(shop.asker.id)
        basis = "The roles that the identity tool prints and the one that the refund policy asks for"
        return Expectation(basis, DENIED, cited=frozenset({SECURITY}), tolerated=records | {own.path})
    if returned is None:
        return Expectation("The returns, by the payment that each names,", UNSUPPORTED, cited=records | {_RETURNS})
    wanted, paid = steps[step]
    found = shop.found(returned, lambda data: {**data, "status": wanted})
    name = str(found.data["id"])
    is_free = found.data["status"] == wanted and payment.data["status"] == paid
    return Expectation(
        f"The status of {name}, that of its payment, and /docs/returns.md",
        OK if is_free else UNSUPPORTED,
        cited=records | {_RETURNS},
        tolerated=frozenset({shop.record(shop.asker.id).path}) if shop.asker.is_staff else frozenset(),
        may_be=unless_seen(found, is_free),
        deed=(_TOOL, step, name),
    )


def _pair(payments: list[Record], returns: list[Record], shop: ShopWorkspace) -> tuple[Record, Record | None]:
    """Return the payment and its return, of which one is named at least."""
    if returns:
        payment = shop.record(returns[0].data["payment_id"])
        if payments and payments[0].path != payment.path:
            msg = "the return that is named belongs to another payment"
            raise DoesNotApply(msg)
        return payment, returns[0]
    name = str(payments[0].data["id"])
    paths = shop.paths_with(Kind.RETURN, "payment_id", [name])[name]
    if len(paths) > 1:
        msg = "a payment with several returns"
        raise DoesNotApply(msg)
    return payments[0], (shop.at(paths[0]) if paths else None)
