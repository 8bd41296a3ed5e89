"""What records and the policy on returns make of a requested refund."""

from __future__ import annotations

from typing import Final

from benchmarks.shop.computed.deeds.found_records import unless_seen
from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.policies import Policy, Steps, steps_in
from benchmarks.shop.computed.refusals import SECURITY
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.language.record_kinds import Kind
from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED
from gates.reading import DoesNotApply

_TOOL: Final = "/bin/refund"


def refund(payments: list[Record], returns: list[Record], shop: ShopWorkspace) -> Expectation:
    policy = shop.policy(_TOOL)
    payment, returned = _pair(payments, returns, shop)
    steps = _steps(policy, payment, returned, shop)
    step, role = steps.verbs[not shop.asker.is_staff], steps.role
    records = frozenset(each.path for each in (payment, returned) if each is not None)
    if shop.asker.is_staff and role not in shop.asker.roles:
        own = shop.record(shop.asker.id)
        basis = "The roles that the identity tool prints and the one that the refund policy asks for"
        return Expectation(basis, DENIED, cited=frozenset({SECURITY}), tolerated=records | {own.path})
    if returned is None:
        return Expectation("The returns, by the payment that each names,", UNSUPPORTED, cited=records | {policy.path})
    wanted = steps.wanted[not shop.asker.is_staff]
    found = shop.found(returned, lambda data: {**data, "status": wanted})
    name = str(found.data["id"])
    is_free = found.data["status"] == wanted and payment.data["status"] == steps.paid
    return Expectation(
        f"The status of {name}, that of its payment, and {policy.path}",
        OK if is_free else UNSUPPORTED,
        cited=records | {policy.path},
        tolerated=frozenset({shop.record(shop.asker.id).path}) if shop.asker.is_staff else frozenset(),
        may_be=unless_seen(found, is_free),
        deed=(_TOOL, step, name),
    )


def _steps(policy: Policy, payment: Record, returned: Record | None, shop: ShopWorkspace) -> Steps:
    """Return the steps of the policy; a return is needed to know in which states returns are."""
    example = returned or shop.example(Kind.RETURN)
    return steps_in(policy, _TOOL, shop.roles, shop.states(payment), shop.states(example))


def _pair(payments: list[Record], returns: list[Record], shop: ShopWorkspace) -> tuple[Record, Record | None]:
    """Return the payment and its return, of which one is named at least."""
    if returns:
        payment = shop.record(returns[0].data["payment_id"])
        if payments and payments[0].path != payment.path:
            msg = "the return that is named belongs to another payment"
            raise DoesNotApply(msg)
        return payment, returns[0]
    name = str(payments[0].data["id"])
    paths = shop.paths_naming(Kind.RETURN, [name])[name]
    if len(paths) > 1:
        msg = "a payment with several returns"
        raise DoesNotApply(msg)
    return payments[0], (shop.at(paths[0]) if paths else None)
