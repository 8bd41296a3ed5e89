"""The units of one product at one place: what lies there, what is taken, and what arrives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StockUnits:
    """Counts of units; of what has no row all are 0."""

    on_hand: int = 0
    reserved: int = 0
    incoming: tuple[tuple[int, int], ...] = ()
    """Quantities, and the days until each arrives."""

    @property
    def available(self) -> int:
        """The units that can be sold today."""
        return max(self.on_hand - self.reserved, 0)

    def within(self, days: int) -> int:
        """Return the units that can be sold once everything due within so many days has arrived."""
        return self.available + sum(quantity for quantity, due in self.incoming if due <= days)
