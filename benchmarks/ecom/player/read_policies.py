"""Reads roles, limits and words from the text of the workspace's documents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchmarks.ecom.player.knowledge import Knowledge


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
    tiers = known.find_in_document("discounts", r"(\d+) percent from EUR ([\d.,]+?) on, (\d+) percent below")
    reasons = known.find_in_document("discounts", r"reason is one of ((?:`\w+`,? ?(?:or )?)+)")[1]
    return DiscountRules(
        role=known.find_in_document("discounts", r"role `([^`]+)`")[1],
        reasons=tuple(re.findall(r"`(\w+)`", reasons)),
        threshold_cents=round(float(tiers[2].replace(",", "")) * 100),
        high_percent=int(tiers[1]),
        low_percent=int(tiers[3]),
    )


def refund_role(known: Knowledge) -> str:
    """Return the role that approves refunds. Raises `NotStated`."""
    return known.find_in_document("returns", r"role `([^`]+)`")[1]


def yes_or_no(known: Knowledge, is_yes: bool) -> str:
    """Return the workspace's word for yes or no. Raises `NotStated`."""
    words = known.find_in_document("agents", r"`([^`]+)` for yes or `([^`]+)` for no")
    return words[1] if is_yes else words[2]
