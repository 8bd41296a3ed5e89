"""What the goods of a receipt cost today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolkit.receipts.receipt_lines import ReceiptLine


@dataclass(frozen=True, slots=True)
class Repriced:
    """Today's sum beside the receipt's, in cents."""

    current_cents: int
    difference_cents: int
    """Without sign."""
    is_within: bool
    """Whether the difference is within the tolerance."""
    codes: tuple[str, ...]
    """The products, each once, in the order of the lines."""


def reprice(
    lines: Sequence[ReceiptLine], subtotal_cents: int, prices_cents: Mapping[str, int], *, tolerance_cents: int = 0
) -> Repriced:
    """Return today's sum. `lines` hold resolved codes; raises `KeyError` for one without a price."""
    current = sum(each.quantity * prices_cents[each.code] for each in lines)
    difference = abs(current - subtotal_cents)
    codes = tuple(dict.fromkeys(each.code for each in lines))
    return Repriced(current, difference, difference <= tolerance_cents, codes)
