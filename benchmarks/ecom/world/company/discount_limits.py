"""The highest discounts that a world's company gives, which depend on a basket's subtotal.

In one world, a basket of at least 120 euros may get up to 12 percent off, and any other up to 5
percent. Another world has other numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.ecom.world.data import DATA


@dataclass(frozen=True, slots=True)
class DiscountLimits:
    """The highest discounts in one world, for large and for small baskets."""

    threshold_cents: int
    """The least subtotal of a large basket: 12,000."""
    percent_from_threshold: int
    """The highest discount on a large basket: 12."""
    percent_below_threshold: int
    """The highest discount on a small basket: 5."""

    def highest_percent(self, subtotal_cents: int) -> int:
        """Return the highest discount that a basket of this subtotal may get."""
        if subtotal_cents >= self.threshold_cents:
            return self.percent_from_threshold
        return self.percent_below_threshold


DISCOUNT_LIMITS: Final = [
    DiscountLimits(**limits) for limits in DATA["discount_limits"]
]
"""The limits that a world may have."""
