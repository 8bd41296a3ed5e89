"""Series of payments that one customer or one device cannot have made: city after city, customer after customer.

A series is what the windows of fixed length in `incidents` see parts of: it lasts for as long as the pauses are short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from toolkit.fraud.payment_rows import KEYS, PaymentRow, Rows, chains, cities, grouped
from toolkit.fraud.selection import Selection, fraud_in_export

_PAUSE: Final = timedelta(minutes=30)
"""The longest pause within a series; nobody travels to another city in so short a time again and again."""
_ROWS: Final = 4
_PLACES: Final = 3


def series(rows: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield the rule and the payments of each series at channels of the customers' own."""
    own = [row for row in rows if row.is_own]
    for key in ("customer", "device"):
        for group in grouped(own, KEYS[key]):
            for chain in chains(group, _PAUSE):
                places = cities(chain) if key == "customer" else len({row.customer for row in chain})
                if len(chain) >= _ROWS and places >= _PLACES:
                    yield f"series/{key}", chain


def fraud_with_series(rows: Sequence[PaymentRow]) -> Selection:
    """Return the fraudulent payments of an export: every incident, and every series whole."""
    table = tuple(rows)
    found = fraud_in_export(table)
    whole = list(series(table))
    taken = {row.id for row in found.rows} | {row.id for _, chain in whole for row in chain}
    rules = {*found.rules, *(rule for rule, _ in whole)}
    return Selection(tuple(row for row in table if row.id in taken), tuple(sorted(rules)))
