"""What the items of a scanned receipt cost today, compared with what they cost then.

"Is my receipt within 5 EUR of today's prices?" Two tarps at 74.50 today make 14900 cents. The
receipt's subtotal was 14278 cents, so the difference is 622.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Repriced:
    """Today's cost of items, compared with the sum of a receipt."""

    today_cents: int
    difference_cents: int
    """The absolute difference."""


def reprice(
    counts: Iterable[tuple[str, int]],
    subtotal_cents: int,
    prices_cents: Mapping[str, int],
) -> Repriced:
    """Return today's cost of codes with quantities, compared with a receipt's subtotal.

    Raises `KeyError` for a code without a price.
    """
    today_cents = 0
    for code, count in counts:
        today_cents += count * prices_cents[code]
    return Repriced(today_cents, abs(today_cents - subtotal_cents))
