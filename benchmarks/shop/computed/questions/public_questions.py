"""How a question ends that anybody may ask, whatever its answer is: about products, branches and files at hand."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.shop_workspace import Record, ShopWorkspace
from benchmarks.shop.computed.stock import units_and_days
from benchmarks.shop.computed.subjects import branch_named, describes_product, words_of
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import skus_in
from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK
from gates import Case
from gates.facts import is_id
from gates.language import asks_for_value, derive_contract, requested_change
from gates.reading import DoesNotApply

_TOKEN: Final = re.compile(r"[A-Za-z]+(?:[-_]\w+)+")
_POSSESSION: Final = re.compile(
    r"\b(?:my|our|his|her|their)\b(?! (?:own )?(?:staff|employee))|\b(?:discount|refund|e-?mail)\b", re.IGNORECASE
)


def public_question(case: Case, text: str, shop: ShopWorkspace) -> Expectation | None:
    """Return how a question about products or branches ends, or None for any other request.

    It wants a value and nothing done, and names nobody and nothing of anybody.
    """
    contract = derive_contract(case.instruction, case.rules)
    wants = (contract.is_enforced and contract.clauses) or asks_for_value(text) or "?" in text
    if not wants or requested_change(text) or _POSSESSION.search(text) or request_kinds.CLAIMED_RIGHT.find(text):
        return None
    skus = skus_in(text)
    if any(is_id(each) and each not in skus for each in _TOKEN.findall(text)):
        return None
    if not (skus or _is_about_branch(text, shop) or describes_product(text, shop.products)):
        return None
    basis = "What everybody may ask about products and branches, and the records of them,"
    return Expectation(basis, OK, may_be=frozenset({OK, CLARIFICATION}), strange=_other_branches(text, shop))


def _other_branches(text: str, shop: ShopWorkspace) -> frozenset[str]:
    """Return the records of all branches but the one that a question names and asks for units at; none if it does
    not."""
    if units_and_days(text) is None:
        return frozenset()
    try:
        named = branch_named(text, shop.stores)
    except DoesNotApply:
        return frozenset()
    return frozenset(each.path for each in shop.stores if each.path != named.path)


def _is_about_branch(text: str, shop: ShopWorkspace) -> bool:
    asked = set(words_of(text))
    return any(_own_words(each, shop.stores) & asked for each in shop.stores)


def _own_words(store: Record, stores: list[Record]) -> set[str]:
    """Return the words of a branch's name that no other branch shares."""
    others = set[str]().union(*(words_of(each.data["name"]) for each in stores if each.path != store.path))
    return set(words_of(store.data["name"])) - others
