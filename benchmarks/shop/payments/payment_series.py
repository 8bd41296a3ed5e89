"""Finds fraud in an export of payments: series that one person cannot have made honestly.

A run is a number of payments with short pauses between them, by one customer or with one
device. It is a series, and fraud, if the one customer paid in several cities, or if several
customers paid with the one device. Payments with a shop's own devices, such as a
salesperson's till, are left out, because many customers pay there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Final

from controlplane.benchmarks.shop.payments.payment_rows import PaymentRow

MAX_PAUSE: Final = timedelta(minutes=60)
"""The longest pause in a run.

Within an hour, hardly anybody travels to another city, or hands a device to somebody else.
"""
LONG_PAUSE: Final = timedelta(minutes=30)
"""A longer pause gets a note: an honest customer might just have travelled in that time."""
# The rules that a series may break.
SEVERAL_CITIES: Final = "one customer in several cities"
SEVERAL_CUSTOMERS: Final = "several customers with one device"

Rows = tuple[PaymentRow, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """A run of payments that breaks a rule, so that one person cannot have made it honestly."""

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


def uncertain_series(rows: Sequence[PaymentRow]) -> list[str]:
    """Return notes on payments that the rules on fraud may judge differently.

    These are refunds, missing channels, long pauses, series of two, and payments at the
    shop during a series.
    """
    notes = []
    for row in rows:
        if row.cents < 0:
            notes.append(
                f"{row.id} takes money back: see what the rules say of it and its payment"
            )
    if all(row.channel is None for row in rows):
        notes.append(
            "the table gives no channels: what was paid at a shop may be among these rows"
        )
    for series in find_series(rows):
        notes += _notes_on_run(series.rows, rows)
    return list(dict.fromkeys(notes))


def _notes_on_run(run: Rows, rows: Sequence[PaymentRow]) -> list[str]:
    """Return the notes on one series. `rows` are all rows of the export."""
    first = run[0]
    last = run[-1]
    notes = []
    for earlier, later in pairwise(run):
        if later.at - earlier.at > LONG_PAUSE:
            notes.append(
                f"there are more than 30 minutes between {earlier.id} and {later.id}"
            )
    # A series has no payments at a shop, but its first customer may have made some
    # while it went on.
    for row in rows:
        is_during_series = first.at <= row.at <= last.at
        if is_during_series and row.customer == first.customer and not row.is_own:
            notes.append(
                f"{row.id} is left out: it was paid at the shop, amid {first.customer}'s"
            )
    if len(run) == 2:
        notes.append(f"{first.id} and {last.id} are a pair")
    return notes
