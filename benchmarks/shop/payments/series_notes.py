"""Notes on payments that a shop's rules on fraud may judge differently from the functions here.

A series of payments is fraud by `payment_series`: one customer paid in two cities within an hour.
But a shop's page may say that a pair is not enough, or that refunds do not count. So notes name
the payments for which a model has to read that page.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final

from controlplane.benchmarks.shop.payments.payment_rows import PaymentRow
from controlplane.benchmarks.shop.payments.payment_series import Rows, find_series

LONG_PAUSE: Final = timedelta(minutes=30)
"""A longer pause gets a note: an honest customer might just have travelled in that time."""


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
