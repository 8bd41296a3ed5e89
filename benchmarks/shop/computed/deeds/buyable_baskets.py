"""What records and policy make of the question which of one's baskets can be checked out: each that can is named."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.computed.deeds.baskets import checkout, own_active
from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.language.record_kinds import Kind, kind_of_id
from benchmarks.shop.language.shop_evidence import OK
from gates.claims import Member, names_set
from gates.facts import compound_stem, is_boilerplate, stems_in
from gates.reading import DoesNotApply
from gates.types import base_name

_TOOL: Final = "/bin/checkout"
_MARKED: Final = re.compile(r"[\d`\"'/%:]")
_WORD: Final = re.compile(r"[a-z]{3,}")
_NEGATION: Final = re.compile(r"\b(?:no|not|never|without)\b|n't\b", re.IGNORECASE)


def buyable_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question that says nothing but the name of the checkout tool and of baskets.

    Raises `DoesNotApply` for any other question, and where one of the baskets is not certain.
    """
    if not _asks_which(text) or shop.asker.is_staff:
        msg = "no question which baskets can be checked out"
        raise DoesNotApply(msg)
    found = [(each, checkout(shop.at(each.path), shop)) for each in own_active(shop)]
    baskets = [(Member(each.path, frozenset({str(each.data["id"])})), expected.outcome) for each, expected in found]
    buyable = [each for each, outcome in baskets if outcome == OK]
    others = [each for each, outcome in baskets if outcome != OK]
    paths = {path for each, expected in found for path in (each.path, *expected.tolerated)}
    return Expectation(
        "The signed-in customer's baskets, and what their branches have available,",
        OK,
        cited=frozenset(each.path for each in buyable),
        tolerated=frozenset(paths),
        states=lambda answer: names_set(answer, buyable, others),
    )


def _asks_which(text: str) -> bool:
    """Say whether a question holds the tool's name, the word for several baskets, and else words of any question."""
    if _MARKED.search(text) or _NEGATION.search(text) or text.count("?") != 1:
        return False
    words = [each for each in _WORD.findall(text.lower()) if not is_boilerplate(each)]
    baskets = {each for each in words if each.endswith("s") and kind_of_id(f"{each[:-1]}-1") is Kind.BASKET}
    deed = compound_stem(base_name(_TOOL))
    further = [each for each in words if each not in baskets and compound_stem(each) not in deed]
    return bool(baskets) and deed in stems_in(text) and not further
