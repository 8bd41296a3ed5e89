"""What records and the policy on discounts make of a requested discount."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from benchmarks.shop.computed.deeds.baskets import open_state
from benchmarks.shop.computed.deeds.found_records import lines_of, lines_short, unless_seen
from benchmarks.shop.computed.expectation import Expectation, holds_word
from benchmarks.shop.computed.policies import tiers_in
from benchmarks.shop.computed.refusals import SECURITY
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED
from gates.reading import DoesNotApply

_DISCOUNT: Final = "/bin/discount"
PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|per ?cent\b)", re.IGNORECASE)
_LARGEST: Final = re.compile(r"\b(?:largest|maximum|max|highest|most|biggest)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]\w*")
_CODE: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def discount(text: str, basket: Record, shop: ShopWorkspace) -> Expectation:
    policy = shop.policy(_DISCOUNT)
    role, tiers = policy.the_one(shop.roles, "the role that the policy asks for"), tiers_in(policy)
    state = open_state(policy, basket, shop)
    reasons = policy.choices()
    found = shop.found(basket, lambda data: {key: value for key, value in data.items() if key != "discount"})
    name = str(found.data["id"])
    lines, store = lines_of(found.data), shop.record(found.data["store_id"])
    paths = shop.product_paths(lines)
    around = frozenset({store.path, *paths.values()})
    if role not in shop.asker.roles:
        own = {shop.record(shop.asker.id).path} if shop.asker.is_staff else set()
        basis = "The roles that the identity tool prints and those that the discount policy asks for"
        return Expectation(basis, DENIED, cited=frozenset({basket.path, SECURITY, *own}), tolerated=around)
    issuer = shop.record(shop.asker.id)
    products = shop.all_at(list(paths.values()))
    prices = {each.data["sku"]: int(each.data["price_cents"]) for each in products}
    subtotal = sum(prices[sku] * units for sku, units in lines.items())
    most = tiers.most_for(subtotal)
    percents = set(PERCENT.findall(text))
    codes = (reasons & set(_WORD.findall(text))) or frozenset(_CODE.findall(text)) - {role}
    if len(percents) > 1 or len(codes) != 1:
        msg = "the percentage or the reason that is asked for is not certain"
        raise DoesNotApply(msg)
    is_certain = bool(percents) or _LARGEST.search(text) is not None
    percent = int(percents.pop()) if percents else most
    code = next(iter(codes))
    is_free = (
        issuer.data["store_id"] == found.data["store_id"]
        and found.data["status"] == state
        and not found.data.get("discount")
        and code in reasons
        and not lines_short(lines, products, store, shop)
    )
    is_given = is_free and 0 < percent <= most
    expected = Expectation(
        f"The conditions of {policy.path} for {name}, its lines and the issuer's record",
        OK if is_given else UNSUPPORTED,
        cited=frozenset({basket.path, issuer.path, policy.path}),
        tolerated=around,
        may_be=unless_seen(found, is_given),
        deed=(_DISCOUNT, name, *((str(percent),) if is_certain else ()), code, shop.asker.id),
    )
    return replace(expected, states=holds_word(str(most))) if is_free and percent > most else expected
