"""What records and policies make of a request to do something with a basket, a payment or a return."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from benchmarks.shop.computed.expectation import Expectation, holds_word
from benchmarks.shop.computed.refusals import SECURITY
from benchmarks.shop.computed.shop_workspace import Data, Found, Record, ShopWorkspace
from benchmarks.shop.computed.stock import Stock, stock_of
from benchmarks.shop.computed.subjects import products_described
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import Kind, kind_of, named_ids
from benchmarks.shop.language.shop_evidence import CLARIFICATION, DENIED, OK, UNSUPPORTED
from gates import Case
from gates.reading import DoesNotApply
from gates.types import Evidence

_CHECKOUT: Final = "/docs/checkout.md"
_DISCOUNTS: Final = "/docs/discounts.md"
_RETURNS: Final = "/docs/returns.md"
_VERIFICATION: Final = "/docs/payments/verification.md"
_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|percent\b|per cent\b)", re.IGNORECASE)
_LARGEST: Final = re.compile(r"\b(?:largest|maximum|max|highest|most|biggest)\b", re.IGNORECASE)
_CODE: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_BACKTICKED: Final = re.compile(r"`([^`]+)`")
_DISCOUNT_ROLE: Final = re.compile(r"employee with the role `(\w+)`")
_REASONS: Final = re.compile(r"reason is one of ((?:`\w+`(?:, | and | or )?)+)")
_TIERS: Final = re.compile(r"(\d+) percent from EUR ([\d.,]+) on, (\d+) percent below")
_REFUND_STEP: Final = re.compile(
    r"return with the status `(\w+)`,? and its payment with the status `(\w+)`: `/bin/refund (\w+) <\w+>`"
)
_BASKET_OF_ONES_OWN: Final = re.compile(
    r"\b(?:my|our)\b(?: \w+){0,2} (?:basket|cart|order|purchase)\b|\bin my (?:basket|cart)\b", re.IGNORECASE
)
_BUYING: Final = re.compile(r"\b(?:check ?out|buy|complete|finish|submit|go ahead|pay for)\b", re.IGNORECASE)
_CALLED_OFF: Final = re.compile(r"\b(?:not|never|no|cancel|undo|how|why|compare)\b|n't\b", re.IGNORECASE)
_REFUNDING: Final = re.compile(
    r"\b(?:approv|clos|finish|complet|process|mov|issu|grant|handl)\w*\b[^.?!]{0,200}\b(?:refund|return)|"
    r"\brefund\b[^.?!]{0,200}\b(?:approved|closed|finished|completed|made)\b",
    re.IGNORECASE,
)
_VERIFYING: Final = re.compile(r"\b(?:verif\w*|3-?ds\w*|bank check|challenge|card check)\b", re.IGNORECASE)
_RESTARTING: Final = re.compile(r"\b(?:re-?start|start|again|retry|redo|recover|resume)\b", re.IGNORECASE)
_ASKED_FIRST: Final = re.compile(r"[^.!?]*\?")
"""A request whose first sentence is a question."""
_NEWEST: Final = re.compile(r"\b(?:newest|latest|most recent|last)\b", re.IGNORECASE)


def expected_of_deed(case: Case, evidence: Evidence, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a request about baskets, payments or returns. Raises `DoesNotApply` for any other."""
    text = case.instruction
    named = [shop.record(each) for each in named_ids(text)]
    if named and not shop.asker.is_staff:
        foreign = [each for each in named if not shop.owns(each.data)]
        if foreign:
            return _denied(foreign[0], named, shop)
    baskets = [each for each in named if kind_of(each.path) is Kind.BASKET]
    payments = [each for each in named if kind_of(each.path) is Kind.PAYMENT]
    returns = [each for each in named if kind_of(each.path) is Kind.RETURN]
    if len(baskets) > 1 or len(payments) > 1 or len(returns) > 1:
        msg = "several records of a kind are named"
        raise DoesNotApply(msg)
    if _ASKED_FIRST.match(text):
        return _no_request()
    if payments and not returns and _VERIFYING.search(text) and _RESTARTING.search(text):
        return _verification(payments[0], baskets, shop)
    if (payments or returns) and not baskets and _REFUNDING.search(text):
        return _refund(payments, returns, shop)
    if payments or returns:
        return _no_request()
    if "discount" in text.lower() or _PERCENT.search(text):
        return _discount(text, baskets[0], shop) if baskets else _no_request()
    if not baskets and _NEWEST.search(text):
        is_request = request_kinds.ADDITION.find(text) or _BASKET_OF_ONES_OWN.search(text)
        return _addition(text, evidence, shop) if is_request else _no_request()
    if not _BUYING.search(text) or _CALLED_OFF.search(text) or request_kinds.RECEIPT.find(text):
        return _no_request()
    if baskets:
        return _checkout(baskets[0], shop)
    return _unnamed(shop) if _BASKET_OF_ONES_OWN.search(text) else _no_request()


def _no_request() -> Expectation:
    msg = "no request about one basket, payment or return"
    raise DoesNotApply(msg)


def _denied(foreign: Record, named: list[Record], shop: ShopWorkspace) -> Expectation:
    own = frozenset(each.path for each in named if shop.owns(each.data))
    basis = f"The identity tool and the owner that the record of {foreign.data['id']} names"
    return Expectation(basis, DENIED, cited=frozenset({SECURITY}), tolerated=own)


def _own_active(shop: ShopWorkspace) -> list[Found]:
    """Return the signed-in customer's active baskets, as the trial found them."""
    if shop.asker.is_staff:
        msg = "only customers have baskets of their own"
        raise DoesNotApply(msg)
    paths = shop.paths_with(Kind.BASKET, "customer_id", [shop.asker.id])[shop.asker.id]
    found = [shop.found(each, _not_bought) for each in shop.all_at(paths)]
    return [each for each in found if each.data["status"] == "active"]


def _not_bought(basket: Data) -> Data:
    return {**basket, "status": "active"}


def _unnamed(shop: ShopWorkspace) -> Expectation:
    active = _own_active(shop)
    if len(active) == 1:
        return _checkout(shop.at(active[0].path), shop)
    if not active:
        msg = "no active basket"
        raise DoesNotApply(msg)
    return Expectation("The signed-in customer's baskets", CLARIFICATION, cited=frozenset(each.path for each in active))


def _lines(basket: Data) -> dict[str, int]:
    lines = {str(each["sku"]): int(each["quantity"]) for each in basket["lines"]}
    if not lines or len(lines) < len(basket["lines"]):
        msg = "a basket without lines, or with two of one SKU"
        raise DoesNotApply(msg)
    return lines


def _unless_seen(found: Found, is_free: bool) -> frozenset[str]:
    """Return what else the outcome may be: a record that was changed unseen may have forbidden it."""
    return frozenset({UNSUPPORTED}) if found.is_assumed and is_free else frozenset()


def _short(lines: Mapping[str, int], products: Iterable[Record], store: Record) -> list[str]:
    """Return the SKUs of the lines that the branch cannot sell in full today; downloads need no stock."""
    stock = stock_of(store.data)
    downloads = {each.data["sku"] for each in products if each.data["fulfilment"] == "download"}
    return [sku for sku, units in lines.items() if sku not in downloads and stock.get(sku, Stock()).available < units]


def _checkout(basket: Record, shop: ShopWorkspace) -> Expectation:
    found = shop.found(basket, _not_bought)
    if shop.asker.is_staff:
        msg = "an employee asks for a checkout"
        raise DoesNotApply(msg)
    lines = _lines(found.data)
    store = shop.record(found.data["store_id"])
    paths = shop.product_paths(lines)
    short = _short(lines, shop.all_at(list(paths.values())), store)
    is_open = found.data["status"] == "active"
    name = str(found.data["id"])
    return Expectation(
        f"The status of {name}, its lines and what its branch has available",
        OK if is_open and not short else UNSUPPORTED,
        cited=frozenset((basket.path, store.path, *paths.values(), _CHECKOUT)),
        may_be=_unless_seen(found, is_open and not short),
        deed=("/bin/checkout", name),
    )


def _addition(text: str, evidence: Evidence, shop: ShopWorkspace) -> Expectation:
    active = _own_active(shop)
    products = products_described(text, shop.products)
    if not active or not _NEWEST.search(text):
        return _no_request()
    newest = max(active, key=lambda each: each.data["created_at"])
    if len(products) > 1:
        return Expectation(
            "The products that fit the request",
            CLARIFICATION,
            cited=frozenset(each.path for each in products),
            tolerated=frozenset({newest.path}),
        )
    sku = str(products[0].data["sku"])
    written = [each for each in evidence.changes if each.action == "write" and each.path == newest.path]
    expected = Expectation(
        f"The newest active basket and the record of {sku}",
        OK,
        cited=frozenset({newest.path, products[0].path, _CHECKOUT}),
        deed=(newest.path,),
    )
    if not written or newest.is_assumed:
        return expected
    units = [_lines(data).get(sku, 0) for data in (newest.data, shop.at(newest.path).data)]
    return expected if units[1] > units[0] else replace(expected, deed=(newest.path, f"a line of {sku}"))


def _discount(text: str, basket: Record, shop: ShopWorkspace) -> Expectation:
    policy = shop.document(_DISCOUNTS)
    role, reasons, tiers = _DISCOUNT_ROLE.search(policy), _REASONS.search(policy), _TIERS.search(policy)
    if not (role and reasons and tiers):
        msg = "the discount policy has another form"
        raise DoesNotApply(msg)
    found = shop.found(basket, lambda data: {key: value for key, value in data.items() if key != "discount"})
    name = str(found.data["id"])
    if role[1] not in shop.asker.roles:
        own = {shop.record(shop.asker.id).path} if shop.asker.is_staff else set()
        basis = "The roles that the identity tool prints and those that the discount policy asks for"
        return Expectation(basis, DENIED, cited=frozenset({SECURITY}), tolerated=frozenset({basket.path, *own}))
    issuer = shop.record(shop.asker.id)
    lines = _lines(found.data)
    paths = shop.product_paths(lines)
    products, store = shop.all_at(list(paths.values())), shop.record(found.data["store_id"])
    prices = {each.data["sku"]: int(each.data["price_cents"]) for each in products}
    subtotal = sum(prices[sku] * units for sku, units in lines.items())
    threshold = round(float(tiers[2].replace(",", "")) * 100)
    most = int(tiers[1] if subtotal >= threshold else tiers[3])
    percents, codes = set(_PERCENT.findall(text)), set(_CODE.findall(text)) - {role[1]}
    if len(percents) > 1 or len(codes) != 1 or (not percents and not _LARGEST.search(text)):
        msg = "the percentage or the reason that is asked for is not certain"
        raise DoesNotApply(msg)
    percent = int(percents.pop()) if percents else most
    code = codes.pop()
    is_free = (
        issuer.data["store_id"] == found.data["store_id"]
        and found.data["status"] == "active"
        and not found.data.get("discount")
        and code in _BACKTICKED.findall(reasons[1])
        and not _short(lines, products, store)
    )
    expected = Expectation(
        f"The conditions of /docs/discounts.md for {name}, its lines and the issuer's record",
        OK if is_free and 0 < percent <= most else UNSUPPORTED,
        cited=frozenset({basket.path, issuer.path, _DISCOUNTS}),
        tolerated=frozenset({store.path, *paths.values()}),
        may_be=_unless_seen(found, is_free and 0 < percent <= most),
        deed=("/bin/discount", name, str(percent), code, shop.asker.id),
    )
    return replace(expected, states=holds_word(str(most))) if is_free and percent > most else expected


def _refund(payments: list[Record], returns: list[Record], shop: ShopWorkspace) -> Expectation:
    policy = shop.document(_RETURNS)
    steps = {step: (status, paid) for status, paid, step in _REFUND_STEP.findall(policy)}
    role = re.search(r"employee with the role `(\w+)`", policy)
    step = "approve" if shop.asker.is_staff else "close"
    if role is None or step not in steps:
        msg = "the refund policy has another form"
        raise DoesNotApply(msg)
    payment, returned = _pair(payments, returns, shop)
    records = frozenset(each.path for each in (payment, returned) if each is not None)
    if shop.asker.is_staff and role[1] not in shop.asker.roles:
        own = shop.record(shop.asker.id)
        basis = "The roles that the identity tool prints and the one that the refund policy asks for"
        return Expectation(basis, DENIED, cited=frozenset({SECURITY}), tolerated=records | {own.path})
    if returned is None:
        return Expectation("The returns, by the payment that each names,", UNSUPPORTED, cited=records | {_RETURNS})
    wanted, paid = steps[step]
    found = shop.found(returned, lambda data: {**data, "status": wanted})
    name, status = str(found.data["id"]), str(found.data["status"])
    is_free = status == wanted and payment.data["status"] == paid
    expected = Expectation(
        f"The status of {name}, that of its payment, and /docs/returns.md",
        OK if is_free else UNSUPPORTED,
        cited=records | {_RETURNS},
        may_be=_unless_seen(found, is_free),
        deed=("/bin/refund", step, name),
    )
    if is_free:
        return expected
    return replace(expected, states=holds_word(status if status != wanted else str(payment.data["status"])))


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


def _verification(payment: Record, baskets: list[Record], shop: ShopWorkspace) -> Expectation:
    if "`attempts` is below `max_attempts`" not in shop.document(_VERIFICATION):
        msg = "the verification policy has another form"
        raise DoesNotApply(msg)
    found = shop.found(payment, _not_restarted)
    basket = shop.record(found.data["basket_id"])
    if shop.asker.is_staff or (baskets and baskets[0].path != basket.path):
        msg = "who asks, or for which basket, is not certain"
        raise DoesNotApply(msg)
    if not shop.owns(basket.data):
        return _denied(basket, [payment], shop)
    name = str(found.data["id"])
    obstacle = _obstacle(found.data, shop.now)
    expected = Expectation(
        f"The status of {name}, its verification, the clock and /docs/payments/verification.md",
        UNSUPPORTED if obstacle else OK,
        cited=frozenset({payment.path, basket.path, _VERIFICATION}),
        may_be=_unless_seen(found, not obstacle),
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
