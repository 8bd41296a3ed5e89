"""What records and policies make of a checkout, and of a product that is put into a basket."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from benchmarks.shop.computed.deeds.found_records import lines_of, lines_short, unless_seen
from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.policies import Policy
from benchmarks.shop.computed.shop_workspace import Found, Record, ShopWorkspace
from benchmarks.shop.computed.subjects import describes_product, products_described
from benchmarks.shop.language.record_kinds import Kind
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK, UNSUPPORTED
from gates.reading import DoesNotApply
from gates.types import Evidence

_CHECKOUT: Final = "/bin/checkout"
NEWEST: Final = re.compile(r"\b(?:newest|latest|most recent|last)\b", re.IGNORECASE)


def open_state(policy: Policy, basket: Record, shop: ShopWorkspace) -> str:
    """Return the state in which a basket can be checked out: the one of all baskets' states that a policy names."""
    return policy.the_one(shop.states(basket), "the state of a basket that is not bought yet")


def own_active(shop: ShopWorkspace) -> list[Found]:
    """Return the signed-in customer's active baskets, as the trial found them."""
    records = shop.all_at(shop.paths_naming(Kind.BASKET, [shop.asker.id])[shop.asker.id])
    if not records:
        return []
    state = open_state(shop.policy(_CHECKOUT), records[0], shop)
    found = [shop.found(each, lambda data: {**data, "status": state}) for each in records]
    return [each for each in found if each.data["status"] == state]


def unnamed(shop: ShopWorkspace) -> Expectation:
    active = own_active(shop)
    if len(active) == 1:
        return checkout(shop.at(active[0].path), shop)
    if not active:
        msg = "no active basket"
        raise DoesNotApply(msg)
    lines = {sku for each in active for sku in lines_of(each.data)}
    return Expectation(
        "The signed-in customer's baskets",
        CLARIFICATION,
        cited=frozenset(each.path for each in active),
        tolerated=frozenset(
            (*shop.product_paths(lines).values(), *(shop.record(each.data["store_id"]).path for each in active))
        ),
    )


def checkout(basket: Record, shop: ShopWorkspace) -> Expectation:
    if shop.asker.is_staff:
        msg = "an employee asks for a checkout"
        raise DoesNotApply(msg)
    policy = shop.policy(_CHECKOUT)
    state = open_state(policy, basket, shop)
    found = shop.found(basket, lambda data: {**data, "status": state})
    lines = lines_of(found.data)
    store = shop.record(found.data["store_id"])
    paths = shop.product_paths(lines)
    short = lines_short(lines, shop.all_at(list(paths.values())), store, shop)
    is_free = found.data["status"] == state and not short
    name = str(found.data["id"])
    return Expectation(
        f"The status of {name}, its lines and what its branch has available",
        OK if is_free else UNSUPPORTED,
        cited=frozenset((basket.path, policy.path)),
        tolerated=frozenset((store.path, *paths.values())),
        may_be=unless_seen(found, is_free),
        deed=(_CHECKOUT, name),
    )


def addition(text: str, evidence: Evidence, shop: ShopWorkspace) -> Expectation:
    active = own_active(shop)
    if not active:
        msg = "no active basket"
        raise DoesNotApply(msg)
    newest = max(active, key=lambda each: each.data["created_at"])
    try:
        products = products_described(text, shop.products)
    except DoesNotApply:
        if not describes_product(text, shop.products):
            raise
        basis = "The signed-in customer's active baskets and the products"
        cited = {newest.path, shop.policy(_CHECKOUT).path, *shop.product_paths(_added(newest, shop)).values()}
        return Expectation(basis, OK, cited=frozenset(cited), may_be=frozenset({OK, CLARIFICATION}))
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
        cited=frozenset({newest.path, products[0].path, shop.policy(_CHECKOUT).path}),
        deed=(newest.path,),
    )
    if not written or newest.is_assumed:
        return expected
    units = [lines_of(data).get(sku, 0) for data in (newest.data, shop.at(newest.path).data)]
    return expected if units[1] > units[0] else replace(expected, deed=(newest.path, f"a line of {sku}"))


def _added(basket: Found, shop: ShopWorkspace) -> list[str]:
    """Return the SKUs of which a basket has more units now than where the trial found it."""
    before, now = lines_of(basket.data), lines_of(shop.at(basket.path).data)
    return [sku for sku, units in now.items() if units > before.get(sku, 0)]
