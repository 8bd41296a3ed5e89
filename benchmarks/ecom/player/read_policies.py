"""Reads roles, limits and words from the text of the workspace's documents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchmarks.ecom.player.knowledge import Knowledge, NotStated


@dataclass(frozen=True, slots=True)
class DiscountRules:
    """Who may give a discount, for which reasons, and how much."""

    role: str
    reasons: tuple[str, ...]
    threshold_cents: int
    high_percent: int
    low_percent: int

    def maximum(self, subtotal_cents: int) -> int:
        """Return the highest percentage that a basket of this subtotal may get."""
        return self.high_percent if subtotal_cents >= self.threshold_cents else self.low_percent


def discount_rules(known: Knowledge) -> DiscountRules:
    """Return the rules for discounts. Raises `NotStated`."""
    text = re.sub(r"\s+", " ", known.document_text("discounts"))
    limits = sorted({int(each) for each in re.findall(r"(\d{1,2}) ?(?:%|percent)", text)})
    threshold = re.search(r"EUR ([\d.,]+\d)", text)
    reasons = re.findall(r"`([a-z]+(?:_[a-z]+)+)`(?=, `| and `|\.)", text)
    if len(limits) != 2 or threshold is None:
        msg = "the document about discounts states no two limits"
        raise NotStated(msg)
    return DiscountRules(
        role=discount_role(known),
        reasons=tuple(reasons),
        threshold_cents=round(float(threshold[1].replace(",", "")) * 100),
        high_percent=limits[1],
        low_percent=limits[0],
    )


def discount_role(known: Knowledge) -> str:
    """Return the role that gives discounts. Raises `NotStated`."""
    behind = r"(?:role|holding|with|has) `([a-z]+_[a-z_]+)`"
    found = known.find_in_document("discounts", rf"{behind}|`([a-z]+_[a-z_]+)` has to be")
    return str(found[1] or found[2])


def refund_role(known: Knowledge) -> str:
    """Return the role that approves refunds. Raises `NotStated`."""
    return known.find_in_document("returns", r"(?:role|holding|has) `([a-z]+_[a-z_]+)`")[1]


def yes_or_no(known: Knowledge, is_yes: bool) -> str:
    """Return the workspace's word for yes or no. Raises `NotStated`."""
    behind = r"(?:\byes\b|is so)[^`]*`([^`/]+)`[^`]*`([^`/]+)`"
    words = known.find_in_document("agents", rf"(?i){behind}|`([^`/]+)` for yes[^`]*`([^`/]+)`")
    yes, no = [each for each in words.groups() if each]
    return yes if is_yes else no
