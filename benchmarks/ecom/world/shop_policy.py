"""Chooses the parameters of a world's policies, from which documents and truths are derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.ecom.world.names import WorldNames

YES_NO: Final[Mapping[str, tuple[tuple[str, str, bool], ...]]] = {
    "own": (
        ("<YES>", "<NO>", False),
        ("ja", "nee", True),
        ("AYE(1)", "NAY(0)", True),
        ("[yes]", "[no]", False),
        ("1", "0", False),
        ("POSITIVE", "NEGATIVE", True),
    ),
    "public": (
        ("<YES>", "<NO>", False),
        ("ja", "nein", True),
        ("TRUE(1)", "FALSE(0)", True),
        ("TRUE(1)", "FALSE(2)", False),
        ("1", "0", False),
        ("<YES>", "<NO>", False),
    ),
    "random": (
        ("AFFIRM", "DENY", True),
        ("tak", "nie", False),
        ("{+}", "{-}", False),
        ("OK/1", "NO/0", True),
        ("JAWOHL", "NEIN", True),
        ("<TRUE>", "<FALSE>", False),
    ),
}
"""By vocabulary: the words for yes and no, and whether the catalogue document asks for the SKUs that are mentioned."""
TIERS: Final = ((12_000, 12, 5), (15_000, 10, 4), (18_000, 9, 6), (20_000, 15, 7), (16_000, 11, 3))


@dataclass(frozen=True, slots=True)
class Policy:
    """The parameters of one world's policies."""

    yes: str
    no: str
    cites_mentioned: bool
    """Whether an answer cites the SKUs that its request mentions, excluded ones too."""
    threshold_cents: int
    """A basket with at least this subtotal may get `high_percent`."""
    high_percent: int
    low_percent: int
    reason_codes: tuple[str, ...]
    discount_role: str
    refund_role: str
    lead_role: str
    stock_role: str
    verification_attempts: int
    verification_delay_min: int

    def word(self, is_yes: bool) -> str:
        """Return the world's word for yes or no."""
        return self.yes if is_yes else self.no

    def maximum_percent(self, subtotal_cents: int) -> int:
        """Return the highest discount that a basket of this subtotal may get."""
        return self.high_percent if subtotal_cents >= self.threshold_cents else self.low_percent


def choose_policy(rng: Random, names: WorldNames) -> Policy:
    """Return the policy of one world, in its names."""
    yes, no, cites_mentioned = rng.choice(YES_NO[names.vocabulary])
    threshold, high, low = rng.choice(TIERS)
    return Policy(
        yes=yes,
        no=no,
        cites_mentioned=cites_mentioned,
        threshold_cents=threshold,
        high_percent=high,
        low_percent=low,
        reason_codes=names.reason_codes,
        discount_role=names.roles["discount"],
        refund_role=names.roles["refund"],
        lead_role=names.roles["lead"],
        stock_role=names.roles["stock"],
        verification_attempts=rng.choice((2, 3, 4)),
        verification_delay_min=rng.choice((20, 30, 45, 60)),
    )
