"""How a question ends that anybody may ask, whatever its answer is: about products, branches and files at hand."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.field_words import names_code
from benchmarks.shop.computed.questions.one_product import about_one_product
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.computed.subjects import describes_product, products_called, products_described, words_of
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import skus_in
from benchmarks.shop.language.shop_evidence import CLARIFICATION, DENIED, OK
from gates import Case
from gates.facts import is_id
from gates.language import asks_for_value, derive_contract, requested_change
from gates.reading import DoesNotApply

_MARKED: Final = re.compile(r"`(\w+)`")
_TOKEN: Final = re.compile(r"[A-Za-z]+(?:[-_]\w+)+")
_NUMBER: Final = "number"
_PRICE: Final = re.compile(r"(?:\bEUR|€) ?\d|\d ?(?:EUR\b|€)")
_POSSESSION: Final = re.compile(
    r"\b(?:my|our|his|her|their)\b(?! (?:own )?(?:staff|employee))|\b(?:discount|refund|e-?mail)\b", re.IGNORECASE
)


def public_question(case: Case, text: str, shop: ShopWorkspace) -> Expectation | None:
    """Return how a question about products or branches ends, or None for any other request.

    It wants a value and nothing done, and names nobody and nothing of anybody.
    """
    contract = derive_contract(case.instruction, case.rules)
    wants = contract.is_enforced or asks_for_value(text) or "?" in text or names_code(text)
    counts = _counts_products(text, {each.kind for each in contract.clauses}, shop)
    if not wants or requested_change(text) or (_POSSESSION.search(text) and not counts):
        return None
    if request_kinds.CLAIMED_RIGHT.find(text):
        return None
    skus = skus_in(text)
    if any(is_id(each) and each not in skus for each in _TOKEN.findall(text)):
        return None
    if not (skus or _is_about_branch(text, shop) or describes_product(text, shop.products)):
        return _about_role(text, shop)
    basis = "What everybody may ask about products and branches, and the records of them,"
    open_between = partial(_open_between, text, shop)
    expected = Expectation(basis, OK, may_be=frozenset({OK, CLARIFICATION}), open_between=open_between)
    return about_one_product(text, case.rules, expected, shop)


def _open_between(text: str, shop: ShopWorkspace) -> frozenset[str]:
    """Return the SKUs of the products that a request describes alike, if it is certainly about one of several."""
    if request_kinds.SEVERAL.find(text):
        return frozenset()
    try:
        found = products_described(text, shop.products)
    except DoesNotApply:
        return frozenset()
    return frozenset(str(each.data["sku"]) for each in found) if len(found) > 1 else frozenset()


def _about_role(text: str, shop: ShopWorkspace) -> Expectation | None:
    """Return how a question about a role of the staff ends, which it marks as code: records hold it, so it is answered,
    asked back or denied."""
    marked = _MARKED.findall(text)
    if len(marked) != 1 or marked[0] not in shop.roles:
        return None
    return Expectation("The roles in the staff records", OK, may_be=frozenset({OK, CLARIFICATION, DENIED}))


def _counts_products(text: str, kinds: AbstractSet[str], shop: ShopWorkspace) -> bool:
    """Say whether a request wants a number, gives a price, and names what to count by its brand or line."""
    return _NUMBER in kinds and _PRICE.search(text) is not None and bool(products_called(text, shop.products))


def _is_about_branch(text: str, shop: ShopWorkspace) -> bool:
    asked = set(words_of(text))
    return any(_own_words(each, shop.stores) & asked for each in shop.stores)


def _own_words(store: Record, stores: list[Record]) -> set[str]:
    """Return the words of a branch's name that no other branch shares."""
    others = set[str]().union(*(words_of(each.data["name"]) for each in stores if each.path != store.path))
    return set(words_of(store.data["name"])) - others
