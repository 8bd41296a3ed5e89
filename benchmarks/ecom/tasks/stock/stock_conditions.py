"""Conditions that a question sets for the stock of a product at a branch.

"At least 3 units can be sold today." Units for sale today are those on hand minus the
reserved ones. Stocks are drawn so that they meet a condition or narrowly miss it: with 4
units on hand and 2 reserved, only 2 can be sold, one too few.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from controlplane.benchmarks.ecom.world.records import Delivery, Stock


class ConditionKind(StrEnum):
    """What a question asks of the stock of each product. N is a number of units."""

    AVAILABLE = "available"
    """At least N units can be sold today."""
    HELD = "held"
    """At least N units are on hand, but reservations leave fewer than N for sale."""
    SOON = "soon"
    """Fewer than N units can be sold today, and at least N within some days."""
    NONE_LEFT = "none"
    """No unit can be sold today, whatever N is."""


@dataclass(frozen=True, slots=True)
class StockCondition:
    """A condition with its numbers, such as "at least 3 units within 2 days" (`SOON`, 3, 2)."""

    kind: ConditionKind
    units: int
    days: int

    def is_met_by(self, stock: Stock) -> bool:
        """Return True if a stock meets the condition."""
        match self.kind:
            case ConditionKind.AVAILABLE:
                return stock.available >= self.units
            case ConditionKind.HELD:
                return stock.on_hand >= self.units > stock.available
            case ConditionKind.SOON:
                return stock.available < self.units <= stock.within(self.days)
            case ConditionKind.NONE_LEFT:
                return stock.available == 0

    def draw_stock(self, rng: Random, *, is_met: bool) -> Stock:
        """Return a stock that meets the condition, or one that narrowly misses it."""
        reserved = rng.randint(1, 4)
        enough = self.units
        one_too_few = self.units - 1
        match self.kind:
            case ConditionKind.AVAILABLE:
                if is_met:
                    for_sale = enough + rng.randint(0, 4)
                    return Stock(on_hand=for_sale + reserved, reserved=reserved)
                # More units arrive later, but that does not count.
                delivery = Delivery(5, in_days=rng.randint(1, 5))
                return Stock(one_too_few + reserved, reserved, [delivery])

            case ConditionKind.HELD:
                if is_met:  # With the reserved units, there are enough on hand.
                    return Stock(on_hand=one_too_few + reserved, reserved=reserved)
                if rng.random() < 0.5:  # Enough can be sold in spite of reservations.
                    return Stock(on_hand=enough + reserved, reserved=reserved)
                return Stock(on_hand=one_too_few, reserved=0)  # Too few are on hand.

            case ConditionKind.SOON:
                # Today one unit is missing. A delivery brings it in time, or too late.
                if is_met:
                    in_days = rng.randint(1, self.days)
                else:
                    in_days = self.days + rng.randint(1, 4)
                delivery = Delivery(rng.randint(1, 4), in_days)
                return Stock(one_too_few + reserved, reserved, [delivery])

            case ConditionKind.NONE_LEFT:
                if is_met:
                    # As many are reserved as are on hand, or even one more.
                    reserved_too_many = rng.choice((0, 1))
                    return Stock(reserved, reserved=reserved + reserved_too_many)
                return Stock(on_hand=reserved + 1, reserved=reserved)
