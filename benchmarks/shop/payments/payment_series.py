"""Finds fraud in an export of payments: series that one person cannot have made honestly.

| payments with short pauses between them | the rule that they break |
|---|---|
| by cust_3, in Graz at 10:00 and in Wien at 10:20 | one customer in several cities |
| by cust_3 and cust_9, with the device d7 | several customers with one device |

Payments with a shop's own devices, such as a salesperson's till, are left out, because many
customers pay there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from controlplane.benchmarks.shop.payments.payment_rows import PaymentRow

MAX_PAUSE: Final = timedelta(minutes=60)
"""The longest pause in a run.

Within an hour, hardly anybody travels to another city, or hands a device to somebody else.
"""
# The rules that a series may break.
SEVERAL_CITIES: Final = "one customer in several cities"
SEVERAL_CUSTOMERS: Final = "several customers with one device"

Rows = tuple[PaymentRow, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Payments with short pauses between them that break a rule."""

    rule: str
    """The rule that the series breaks: `SEVERAL_CITIES` or `SEVERAL_CUSTOMERS`."""
    rows: Rows


def find_series(rows: Sequence[PaymentRow]) -> Iterator[Series]:
    """Yield all series in these payments. A payment may be in one series of each rule.

    Payments that were not made on a channel of customers do not count.
    """
    own_rows = [row for row in rows if row.is_own]
    for customer_rows in grouped(own_rows, lambda row: row.customer):
        for run in runs(customer_rows, MAX_PAUSE):
            cities = {row.city for row in run}
            if len(cities) > 1:
                yield Series(SEVERAL_CITIES, run)
    for device_rows in grouped(own_rows, lambda row: row.device):
        for run in runs(device_rows, MAX_PAUSE):
            customers = {row.customer for row in run}
            if len(customers) > 1:
                yield Series(SEVERAL_CUSTOMERS, run)


def grouped(
    rows: Iterable[PaymentRow], key: Callable[[PaymentRow], str]
) -> Iterator[Rows]:
    """Yield the rows with each key, sorted by time. Rows with an empty key are left out."""
    rows_by_key: dict[str, list[PaymentRow]] = {}
    for row in rows:
        if key(row):
            rows_by_key.setdefault(key(row), []).append(row)
    for name in sorted(rows_by_key):
        yield tuple(sorted(rows_by_key[name], key=lambda row: row.at))


def runs(rows: Rows, max_pause: timedelta) -> Iterator[Rows]:
    """Yield the longest runs of rows with pauses of at most `max_pause`.

    `rows` must be sorted by time: payments at 10:00, 10:20 and 12:00 are two runs if the
    longest pause is an hour.
    """
    start = 0
    for index in range(1, len(rows)):
        if rows[index].at - rows[index - 1].at > max_pause:
            yield rows[start:index]
            start = index
    if rows:
        yield rows[start:]
