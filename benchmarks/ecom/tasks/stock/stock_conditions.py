"""Conditions that a question sets for the stock of a product at a branch.

"At least 3 units can be sold today." Units for sale today are those on hand minus the
reserved ones. Stocks are drawn so that they meet a condition or narrowly miss it: with 4
units on hand and 2 reserved, only 2 can be sold, one too few.
"""

from __future__ import annotations

from enum import StrEnum

from controlplane.benchmarks.ecom.world.records import Delivery, Stock
from controlplane.benchmarks.ecom.world.world import World


class StockCondition(StrEnum):
    """The condition that a question sets for the stock of each product. N is a number of units."""

    AVAILABLE = "available"
    """At least N units can be sold today."""
    HELD = "held"
    """At least N units are on hand, but reservations leave fewer than N for sale."""
    SOON = "soon"
    """Fewer than N units can be sold today, and at least N within some days."""
    NONE_LEFT = "none"
    """No unit can be sold today."""

    def is_met_by(self, stock: Stock, units: int, days: int) -> bool:
        """Return True if a stock meets the condition for this many units, within these days."""
        match self:
            case StockCondition.AVAILABLE:
                return stock.available >= units
            case StockCondition.HELD:
                return stock.on_hand >= units > stock.available
            case StockCondition.SOON:
                return stock.available < units <= stock.within(days)
            case StockCondition.NONE_LEFT:
                return stock.available == 0


def draw_stock(
    world: World, condition: StockCondition, units: int, days: int, *, is_met: bool
) -> Stock:
    """Return a stock that meets a condition, or one that narrowly misses it.

    The condition asks for this many units within this many days. The units for sale today
    are those on hand minus the reserved ones.
    """
    rng = world.rng
    reserved = rng.randint(1, 4)
    one_too_few = units - 1
    match condition:
        # At least `units` can be sold today.
        case StockCondition.AVAILABLE if is_met:
            for_sale = units + rng.randint(0, 4)
            return Stock(on_hand=for_sale + reserved, reserved=reserved)
        case StockCondition.AVAILABLE:
            # One is missing today. More arrive later, which does not count.
            delivery = Delivery(5, in_days=rng.randint(1, 5))
            return Stock(one_too_few + reserved, reserved, [delivery])

        # At least `units` are on hand, but too few of them are not reserved.
        case StockCondition.HELD if is_met:
            return Stock(on_hand=one_too_few + reserved, reserved=reserved)
        case StockCondition.HELD:
            if rng.random() < 0.5:  # Enough can be sold in spite of the reservations.
                return Stock(on_hand=units + reserved, reserved=reserved)
            return Stock(on_hand=one_too_few, reserved=0)  # Too few are on hand.

        # Too few can be sold today, but enough within `days`: one delivery suffices.
        case StockCondition.SOON:
            in_days = rng.randint(1, days) if is_met else days + rng.randint(1, 4)
            delivery = Delivery(rng.randint(1, 4), in_days)
            return Stock(one_too_few + reserved, reserved, [delivery])

        # No unit can be sold today. This condition has no number of units.
        case StockCondition.NONE_LEFT if is_met:
            # As many are reserved as are on hand, or even one more.
            more_than_on_hand = rng.choice((0, 1))
            return Stock(on_hand=reserved, reserved=reserved + more_than_on_hand)
        case StockCondition.NONE_LEFT:
            return Stock(on_hand=reserved + 1, reserved=reserved)
