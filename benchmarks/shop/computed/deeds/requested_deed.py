"""Which deed a request about baskets, payments or returns is for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from benchmarks.shop.computed.deeds.baskets import NEWEST, addition, checkout, unnamed
from benchmarks.shop.computed.deeds.buyable_baskets import buyable_asked
from benchmarks.shop.computed.deeds.discounts import PERCENT, discount
from benchmarks.shop.computed.deeds.refunds import refund
from benchmarks.shop.computed.deeds.verifications import verification
from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.refusals import denied
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import Kind, kind_of, named_ids, skus_in
from gates import Case
from gates.facts import compound_stem, stems_in
from gates.language import asks_for_value
from gates.reading import DoesNotApply
from gates.types import Evidence, base_name

_BASKET_OF_ONES_OWN: Final = re.compile(
    r"\b(?:my|our)\b(?: \w+){0,3} (?:basket|cart|order|purchase)\b|\bin my (?:basket|cart)\b", re.IGNORECASE
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
_CHECKOUT: Final = ("/bin/checkout",)
_DISCOUNT: Final = "/bin/discount"
_TOOLS: Final = ("/bin/checkout", _DISCOUNT, "/bin/refund", "/bin/payments")
_NAME: Final = re.compile(r"[a-z]\w*")
_LEAST_CHARS: Final = 4
_LEAST_PART: Final = 3
_REFUND: Final = ("/bin/refund", "approve", "close")
_RESTART: Final = ("/bin/payments", "restart-verification")
_ASKED_FIRST: Final = re.compile(r"[^.!?]*\?")
"""A request whose first sentence is a question."""


def expected_of_deed(case: Case, evidence: Evidence, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a request about baskets, payments or returns. Raises `DoesNotApply` for any other."""
    text = case.instruction
    named = [shop.record(each) for each in named_ids(text)]
    if not shop.asker.is_staff:
        foreign = [each for each in named if not shop.owns(each.data)]
        if foreign:
            return denied(foreign[0], named, shop)
    baskets = [each for each in named if kind_of(each.path) is Kind.BASKET]
    payments = [each for each in named if kind_of(each.path) is Kind.PAYMENT]
    returns = [each for each in named if kind_of(each.path) is Kind.RETURN]
    if len(baskets) > 1 or len(payments) > 1 or len(returns) > 1:
        msg = "several records of a kind are named"
        raise DoesNotApply(msg)
    if baskets and not payments and _VERIFYING.search(text) and _RESTARTING.search(text):
        payments = shop.all_at(
            shop.paths_naming(Kind.PAYMENT, [str(baskets[0].data["id"])])[str(baskets[0].data["id"])]
        )
    done = {each.path: each.detail.split() for each in evidence.changes if each.action == "execute"}
    if _ASKED_FIRST.match(text) and not done:
        if not named:
            return buyable_asked(text, shop)
        return _no_request() if payments or returns else _asked(text, baskets[0], shop)
    if payments and not returns and _is_for_restart(text, payments[0], done):
        return verification(payments[0], baskets, shop)
    if (payments or returns) and not baskets and (_REFUNDING.search(text) or _is_told(text, _REFUND, done)):
        return refund(payments, returns, shop)
    if payments or returns:
        return _no_request()
    if "discount" in text.lower() or PERCENT.search(text):
        return discount(text, baskets[0], shop) if baskets else _no_request()
    if not baskets and NEWEST.search(text):
        is_request = request_kinds.ADDITION.find(text) or _BASKET_OF_ONES_OWN.search(text)
        return addition(text, evidence, shop) if is_request else _no_request()
    is_told = _is_told(text, _CHECKOUT, done)
    is_asked = _BUYING.search(text) or is_told or (baskets and _is_told_by_policy(text, _CHECKOUT[0], shop))
    if not is_asked or _CALLED_OFF.search(text) or request_kinds.RECEIPT.find(text):
        return _no_request()
    if baskets:
        return checkout(baskets[0], shop)
    return unnamed(shop) if _BASKET_OF_ONES_OWN.search(text) or is_told else _no_request()


def _asked(text: str, basket: Record, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question whether a basket may get a discount: one of a percentage, for a reason."""
    if len(PERCENT.findall(text)) != 1 or not shop.policy(_DISCOUNT).choices().intersection(_NAME.findall(text)):
        return _no_request()
    return replace(discount(text, basket, shop), may_be_told=True)


def _is_for_restart(text: str, payment: Record, done: Mapping[str, list[str]]) -> bool:
    """Say whether a request is for the restart of a card verification.

    An order about a payment that waits for one is for nothing else.
    """
    if _VERIFYING.search(text) and _RESTARTING.search(text):
        return True
    if not isinstance(payment.data.get("verification"), dict):
        return False
    return _is_told(text, _RESTART, done)


def _is_told(text: str, tool: tuple[str, ...], done: Mapping[str, list[str]]) -> bool:
    """Say whether a tool did what it can be told to do, or whether a request says so in the tool's own words.

    What is negated, asked about or to be told is none.
    """
    path, *words = tool
    if path in done:
        return True
    names = {compound_stem(part) for word in (base_name(path), *words) for part in word.split("-")}
    return _is_order(text) and not (names.isdisjoint(stems_in(text)) and _parted(base_name(path)).search(text) is None)


def _is_told_by_policy(text: str, tool: str, shop: ShopWorkspace) -> bool:
    """Say whether a request is an order in the words in which one policy alone speaks of its tool."""
    if not _is_order(text) or skus_in(text):
        return False
    try:
        told = {each: stems_in(" ".join(shop.policy(each).around_call(each))) for each in _TOOLS}
    except DoesNotApply:
        return False
    others = frozenset[str]().union(*(stems for each, stems in told.items() if each != tool))
    asked = frozenset(each for each in stems_in(text) if len(each) >= _LEAST_CHARS)
    return bool(asked & (told[tool] - others)) and not asked & (others - told[tool])


def _is_order(text: str) -> bool:
    return not (_CALLED_OFF.search(text) or asks_for_value(text) or "?" in text)


@lru_cache(maxsize=16)
def _parted(name: str) -> re.Pattern[str]:
    """Return the pattern of a tool's name in two words with others between them: "check the basket out"."""
    places = range(_LEAST_PART, len(name) - _LEAST_PART + 1)
    halves = [rf"{re.escape(name[:at])}(?: [\w-]{{1,40}}){{0,4}} {re.escape(name[at:])}" for at in places]
    return re.compile(rf"\b(?:{'|'.join(halves)})\b", re.IGNORECASE)


def _no_request() -> Expectation:
    msg = "no request about one basket, payment or return"
    raise DoesNotApply(msg)
