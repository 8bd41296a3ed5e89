"""Finds the fraudulent rows of a table of payments: series in several cities, or of several customers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Final

from benchmarks.shop.layout import Shape, columns_called, shape_of, table_rows
from sandbox.functions import CannotRead

OWN_CHANNELS: Final = frozenset({"web", "mobile_app", "customer_terminal"})
"""Channels with the customer's own device or presence. A device of any other channel serves many customers."""


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """One payment. An empty device does not identify anybody."""

    id: str
    at: datetime
    customer: str
    city: str
    cents: int
    device: str = ""
    channel: str | None = None
    """None if the table does not give the channel, which then counts as the customer's own."""

    @property
    def is_own(self) -> bool:
        """True if the payment was made at a channel of the customer's own."""
        return self.channel is None or self.channel in OWN_CHANNELS


Rows = tuple[PaymentRow, ...]


def grouped(rows: Iterable[PaymentRow], key: Callable[[PaymentRow], object]) -> Iterator[Rows]:
    """Yield the rows of each key that is not empty, by time."""
    keyed = [row for row in rows if key(row)]
    for _, group in groupby(sorted(keyed, key=lambda row: str(key(row))), key=key):
        yield tuple(sorted(group, key=lambda row: row.at))


def chains(rows: Rows, gap: timedelta) -> Iterator[Rows]:
    """Yield the longest runs of rows, each at most `gap` after the one before. `rows` are sorted by time."""
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at].at - rows[at - 1].at > gap:
            yield rows[start:at]
            start = at


_WANTED: Final = {
    "customer": ("customer ref", "customer id", "customer", "account", "client", "buyer"),
    "city": ("store city", "city", "town"),
    "amount": ("amount cents", "cents", "ct", "amount"),
}
_PERHAPS: Final = {
    "device": ("device fingerprint", "device"),
    "channel": ("archive channel", "channel"),
}


def read_payments(text: str) -> list[PaymentRow]:
    """Return the payments of an export in its order. Raises `CannotRead` for a table of another shape."""
    rows = table_rows(text)
    columns = columns_called(rows, _WANTED)
    for name, words in _PERHAPS.items():
        try:
            columns |= columns_called(rows, {name: words})
        except CannotRead:
            continue
    columns["id"] = _only(column for column in rows[0] if len({row[column] for row in rows}) == len(rows))
    columns["at"] = _only(column for column in rows[0] if all(shape_of(row[column]) is Shape.INSTANT for row in rows))
    return [_payment(row, columns) for row in rows]


def _only(headers: Iterable[str]) -> str:
    """The first column of a form: ids and instants come first in a table. Raises `CannotRead` without a column."""
    header = next(iter(headers), "")
    if not header:
        msg = "the table has no column of ids, or none of instants"
        raise CannotRead(msg)
    return header


def _payment(row: dict[str, str], columns: dict[str, str]) -> PaymentRow:
    try:
        at, cents = datetime.fromisoformat(row[columns["at"]]), int(row[columns["amount"]])
    except ValueError:
        msg = f"row {row[columns['id']]} holds no amount in cents"
        raise CannotRead(msg) from None
    return PaymentRow(
        id=row[columns["id"]],
        at=at,
        customer=row[columns["customer"]],
        city=row[columns["city"]],
        cents=cents,
        device=row[columns["device"]] if "device" in columns else "",
        channel=row[columns["channel"]] if "channel" in columns else None,
    )


_PAUSE: Final = timedelta(minutes=60)
"""The longest pause within a series: nobody is in another city, or hands a device on, in such a short time."""
_LONG: Final = timedelta(minutes=30)
"""A pause within a series that may also lie between two series, or an honest customer's travel."""


def series(rows: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield each run of payments at channels of the customers' own, of one customer in several cities or of several
    customers with one device, behind the words that say which of both it is."""
    own = [row for row in rows if row.is_own]
    for group in grouped(own, lambda row: row.customer):
        runs = (run for run in chains(group, _PAUSE) if len({row.city for row in run}) > 1)
        yield from (("one customer in several cities", run) for run in runs)
    for group in grouped(own, lambda row: row.device):
        runs = (run for run in chains(group, _PAUSE) if len({row.customer for row in run}) > 1)
        yield from (("several customers with one device", run) for run in runs)


def uncertain_series(rows: Sequence[PaymentRow]) -> list[str]:
    """Return what of an export may be read in another way: refunds, pairs, long pauses, rows of other channels."""
    refunds = [row.id for row in rows if row.cents < 0]
    notes = dict.fromkeys(f"{name} takes money back: see what the rules say of it and its payment" for name in refunds)
    if all(row.channel is None for row in rows):
        notes["the table gives no channels: what was paid at a shop may be among these rows"] = None
    for _, run in series(tuple(rows)):
        first, last = run[0], run[-1]
        pauses = [f"{left.id} and {right.id}" for left, right in pairwise(run) if right.at - left.at > _LONG]
        beside = [row.id for row in rows if not row.is_own and row.customer == first.customer]
        within = [row.id for row in rows if row.id in beside and first.at <= row.at <= last.at]
        notes |= dict.fromkeys(f"there are more than 30 minutes between {pair}" for pair in pauses)
        notes |= dict.fromkeys(
            f"{name} is left out: it was paid at the shop, amid {first.customer}'s" for name in within
        )
        if len(run) == 2:
            notes[f"{first.id} and {last.id} are a pair"] = None
    return list(notes)
