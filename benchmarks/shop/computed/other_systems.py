"""Tells orders for a system that the workspace does not have, by a name that nothing in the workspace bears.

Such an order has a thing with a name of its own in it ("open a Fjordesk ticket"), asks nothing and names no record. It
is certain only where something of the shop stands beside, set apart in quotation marks or as a branch, and is not
itself what is ordered.
"""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.computed.subjects import branch_named, describes_product, words_of
from benchmarks.shop.language.record_kinds import Kind, kind_of, kind_of_id, skus_in
from gates import Case
from gates.facts import facts_of, stems_in
from gates.language import asks_for_value, derive_contract, normalize_text
from gates.reading import DoesNotApply
from gates.types import Evidence

_MAX_CHARS: Final = 1_000
_QUOTED: Final = re.compile(r"\"[^\"\n]{1,300}\"|(?<!\w)'[^'\n]{1,300}'(?!\w)")
_NAMED_OTHERWISE: Final = re.compile(r"[?`/@%\n]|\w[-_]\d|\d{3}")
"""What stands in questions, and in requests about marked fields, files, addresses, shares or records."""
_NAME: Final = re.compile(r"(?<!\S)[a-z][\w'-]{0,39} (?=[^\W_]*[a-z])([A-Z][^\W_]{2,39})(?= [a-z]{2,}|[,.;:](?: |$)|$)")
"""A word with a capital between two without one, or at the end of a clause."""
_MOST_NAMES: Final = 6
_ALIKE: Final = 0.85
"""How alike a name and a known word may be at most: a misspelt brand is none of another system."""
_MAIL: Final = "mail"


def is_for_another_system(case: Case, evidence: Evidence, shop: ShopWorkspace) -> bool:
    """Say whether a request orders something of a system that nothing in the workspace is called like.

    Raises `DoesNotApply` where the workspace could not be searched as a whole.
    """
    text = normalize_text(case.instruction[:_MAX_CHARS]).strip()
    own = _QUOTED.sub(" . ", text)
    names = list(dict.fromkeys(_NAME.findall(own)))[:_MOST_NAMES]
    if not names or not _is_order(case, own, evidence):
        return False
    if not (own != text or _names_branch(own, shop)) or _is_about_product(own, shop):
        return False
    strange = _unlike(names, _known_words(case.rules, shop))
    return bool(strange) and not shop.bearing(strange).issuperset(strange)


def _unlike(names: list[str], known: list[str]) -> list[str]:
    """Return the names that are spelled like none of the known words."""
    from difflib import get_close_matches  # The trusted process imports this module and never compares.

    return [each for each in names if not get_close_matches(each.casefold(), known, 1, _ALIKE)]


def _is_order(case: Case, own: str, evidence: Evidence) -> bool:
    """Say whether a request asks nothing, wants no value in a form, and speaks of no record and of nothing tools do.

    A trial that changed a record took it for another request.
    """
    if len(case.instruction) > _MAX_CHARS or _NAMED_OTHERWISE.search(own) or asks_for_value(own):
        return False
    if skus_in(own) or _MAIL in own.casefold().replace("-", ""):
        return False
    if any(kind_of_id(f"{word}-1") not in (None, Kind.STORE) for word in words_of(own)):
        return False
    if any(each.action == "execute" or kind_of(each.path) is not None for each in evidence.changes):
        return False
    if derive_contract(case.instruction, case.rules).is_enforced:
        return False
    return facts_of(evidence).verbs.keys().isdisjoint(stems_in(own))


def _names_branch(text: str, shop: ShopWorkspace) -> bool:
    try:
        return bool(branch_named(text, shop.stores).path)
    except DoesNotApply:
        return False


def _is_about_product(text: str, shop: ShopWorkspace) -> bool:
    """Say whether a text describes a product in words that no branch is called by."""
    of_branches = {word for each in shop.stores for word in words_of(each.data["name"])}
    left = " ".join(each for each in words_of(text) if each not in of_branches)
    return describes_product(left, shop.products)


def _known_words(rules: str, shop: ShopWorkspace) -> list[str]:
    """Return the words of the workspace's rules, of branches and of products, which a name may misspell."""
    stores = (f"{each.data['name']} {each.data['city']}" for each in shop.stores)
    products = (f"{each.data['name']} {each.data['brand']}" for each in shop.products)
    return sorted({word for text in (rules, *stores, *products) for word in words_of(text)})
