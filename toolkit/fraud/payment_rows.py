"""One payment of an export or a history, and groups of payments with one key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

OWN_CHANNELS: Final = frozenset({"web", "mobile_app", "customer_terminal"})
"""Channels at which the customer's own device or hand is. A device of any other channel serves many customers."""


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """One payment. Empty fingerprints belong to nobody."""

    id: str
    at: datetime
    customer: str
    city: str
    cents: int
    card: str = ""
    device: str = ""
    channel: str | None = None
    """None if the table does not say it; it then counts as the customer's own."""

    @property
    def is_own(self) -> bool:
        """Whether the payment was made at a channel of the customer's own."""
        return self.channel is None or self.channel in OWN_CHANNELS


Rows = tuple[PaymentRow, ...]
KEYS: Final[dict[str, Callable[[PaymentRow], str]]] = {
    "customer": lambda row: row.customer,
    "device": lambda row: row.device,
    "card": lambda row: row.card,
}


def grouped(rows: Iterable[PaymentRow], key: Callable[[PaymentRow], object]) -> Iterator[Rows]:
    """Yield the rows of each key that is not empty, by time."""
    known = [row for row in rows if key(row)]
    for _, group in groupby(sorted(known, key=lambda row: str(key(row))), key=key):
        yield tuple(sorted(group, key=lambda row: row.at))


def windows(rows: Rows, length: timedelta) -> Iterator[Rows]:
    """Yield, for every row, the rows from it on within `length`, its end included. `rows` are sorted by time."""
    end = 0
    for start, first in enumerate(rows):
        while end < len(rows) and rows[end].at - first.at <= length:
            end += 1
        yield rows[start:end]


def chains(rows: Rows, gap: timedelta) -> Iterator[Rows]:
    """Yield the longest runs of rows, each at most `gap` after the one before. `rows` are sorted by time."""
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at].at - rows[at - 1].at > gap:
            yield rows[start:at]
            start = at


def cities(rows: Rows) -> int:
    """Return in how many cities the payments were made."""
    return len({row.city for row in rows})


def total_cents(rows: Rows) -> int:
    """Return the sum of the payments, in cents."""
    return sum(row.cents for row in rows)
