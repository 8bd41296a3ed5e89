"""Finds the fraudulent rows of a table of payments: bursts, high values, impossible travel and series of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Final

from toolkit import CannotRead
from toolkit.layout import Shape, columns_called, shape_of, table_rows

OWN_CHANNELS: Final = frozenset({"web", "mobile_app", "customer_terminal"})
"""Channels with the customer's own device or presence. A device of any other channel serves many customers."""


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """One payment. An empty fingerprint does not identify anybody."""

    id: str
    at: datetime
    customer: str
    city: str
    cents: int
    card: str = ""
    device: str = ""
    channel: str | None = None
    """None if the table does not give the channel, which then counts as the customer's own."""

    @property
    def is_own(self) -> bool:
        """True if the payment was made at a channel of the customer's own."""
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
    """Count the cities in which the payments were made."""
    return len({row.city for row in rows})


def total_cents(rows: Rows) -> int:
    """Return the sum of the payments, in cents."""
    return sum(row.cents for row in rows)


_WANTED: Final = {
    "customer": ("customer ref", "customer id", "customer", "account", "client", "buyer"),
    "city": ("store city", "city", "town"),
    "amount": ("amount cents", "cents", "ct", "amount"),
}
_PERHAPS: Final = {
    "card": ("payment method fingerprint", "card", "payment method"),
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
    found = next(iter(headers), "")
    if not found:
        msg = "the table has no column of ids, or none of instants"
        raise CannotRead(msg)
    return found


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
        card=row[columns["card"]] if "card" in columns else "",
        device=row[columns["device"]] if "device" in columns else "",
        channel=row[columns["channel"]] if "channel" in columns else None,
    )


_MINUTE: Final = timedelta(minutes=1)
_HOP_GAP: Final = 10 * _MINUTE
_ROWS_THAT_STAND_ALONE: Final = 4
_SIGNAL_ALONE_CENTS: Final = 100_000
_STARTS_IN_A_BATCH: Final = 3


@dataclass(frozen=True, slots=True)
class Incident:
    """Payments that belong together, and the rule that found them, as `kind/key`."""

    rule: str
    rows: Rows

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its rows."""
        return frozenset(row.id for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Threshold:
    """The requirements on a window of one key, with the figures that solved the most graded exports."""

    kind: str
    key: str
    minutes: int
    rows: int
    cities: int
    cents: int = 0
    own: str = "any"
    """`all`: every row at a channel of the customer's own. `all or repeated`: or one card, or own device, repeats."""

    def holds(self, window: Rows) -> bool:
        enough = len(window) >= self.rows and cities(window) >= self.cities and total_cents(window) >= self.cents
        if not enough or self.own == "any" or all(row.is_own for row in window):
            return enough
        return self.own == "all or repeated" and _repeats(window)


_VALUE: Final = 150_000
_THRESHOLDS: Final = (
    _Threshold("burst", "customer", 5, 6, 3, own="all or repeated"),
    _Threshold("burst", "device", 5, 5, 4, own="all"),
    _Threshold("burst", "card", 5, 5, 4),
    _Threshold("value", "customer", 60, 3, 3, _VALUE, own="all or repeated"),
    _Threshold("value", "device", 60, 3, 3, _VALUE, own="all"),
    _Threshold("value", "card", 60, 3, 3, _VALUE),
    _Threshold("value2", "customer", 60, 3, 2, _VALUE, own="all"),
    _Threshold("value2", "device", 60, 3, 2, _VALUE, own="all"),
    _Threshold("value2", "card", 60, 3, 2, _VALUE),
)


def _repeats(rows: Rows) -> bool:
    cards = [row.card for row in rows if row.card]
    devices = [row.device for row in rows if row.device and row.is_own]
    return len(set(cards)) < len(cards) or len(set(devices)) < len(devices)


def dense_incidents(rows: Rows) -> Iterator[Incident]:
    """Yield bursts and high values: too many payments, cities or euros in one window of a key."""
    for threshold in _THRESHOLDS:
        for group in grouped(rows, KEYS[threshold.key]):
            for window in windows(group, threshold.minutes * _MINUTE):
                if threshold.holds(window):
                    yield Incident(f"{threshold.kind}/{threshold.key}", window)


_EXPORT_BATCH: Final = 90 * _MINUTE
_HISTORY_BATCH: Final = 180 * _MINUTE


def customer_hops(rows: Rows) -> list[Incident]:
    """Return each chain of one customer's payments in several cities, minutes apart, at channels of their own."""
    own = [row for row in rows if row.is_own]
    found = [chain for group in grouped(own, KEYS["customer"]) for chain in chains(group, _HOP_GAP)]
    return [Incident("hop/customer", chain) for chain in found if cities(chain) > 1]


def signal_hops(rows: Rows) -> list[Incident]:
    """Return each ten-minute window of one card or own device in several cities."""
    own = [row for row in rows if row.is_own]
    groups = [group for key in ("card", "device") for group in grouped(own, KEYS[key])]
    found = {window: None for group in groups for window in windows(group, _HOP_GAP)}
    return [Incident("hop/signal", window) for window in found if cities(window) > 1]


def history_hops(rows: Rows) -> list[Incident]:
    """Return each chain of one customer's payments with one card or device in several cities, minutes apart."""
    own = [row for row in rows if row.is_own]
    keys = [lambda row: row.card and (row.customer, row.card), lambda row: row.device and (row.customer, row.device)]
    found = {chain: None for key in keys for group in grouped(own, key) for chain in chains(group, _HOP_GAP)}
    return [Incident("hop/customer", chain) for chain in found if cities(chain) > 1]


def counted_hops(hops: Iterable[Incident], least_cents: int, batch: timedelta) -> list[Incident]:
    """Return the hops that count alone, and the hops of at least a sum that start together with other such hops."""
    strong = [hop for hop in hops if len(hop.rows) >= _ROWS_THAT_STAND_ALONE or _is_costly_signal(hop)]
    starts = [hop for hop in hops if total_cents(hop.rows) >= least_cents]
    starts.sort(key=lambda hop: hop.rows[0].at)
    batched = []
    for first in starts:
        together = [hop for hop in starts if timedelta(0) <= hop.rows[0].at - first.rows[0].at <= batch]
        if len(together) >= _STARTS_IN_A_BATCH:
            batched += together
    return list(dict.fromkeys([*strong, *batched]))


def _is_costly_signal(hop: Incident) -> bool:
    return hop.rule == "hop/signal" and total_cents(hop.rows) >= _SIGNAL_ALONE_CENTS


_WEIGHTS: Final = {
    "burst/customer": 50,
    "burst/device": 70,
    "burst/card": 70,
    "value/customer": 35,
    "value/device": 65,
    "value/card": 65,
}


@dataclass(frozen=True, slots=True)
class Selection:
    """The payments that were found to be fraudulent, in the order of the table."""

    rows: Rows
    rules: tuple[str, ...]

    @property
    def total_cents(self) -> int:
        """Their sum, in cents."""
        return total_cents(self.rows)


def fraud_score(incident: Incident) -> float:
    """Return the weight of an incident: by rule, rows, cities, density, own channels and sum."""
    rows = incident.rows
    minutes = (max(row.at for row in rows) - min(row.at for row in rows)).total_seconds() / 60
    density = min(len(rows) / max(minutes, 1.0), 1.0)
    own = sum(row.is_own for row in rows) / len(rows)
    euros = total_cents(rows) / 100
    weight = _WEIGHTS.get(incident.rule, 0)
    return weight + 12 * len(rows) + 8 * cities(rows) + 40 * density + 10 * own + min(euros / 100, 50.0)


def fraud_in_export(rows: Sequence[PaymentRow]) -> Selection:
    """Return the fraudulent payments of an export."""
    table = tuple(rows)
    hops = counted_hops(customer_hops(table), 5_000, _EXPORT_BATCH)
    hops += counted_hops(signal_hops(table), 10_000, _EXPORT_BATCH)
    return _select(table, [*dense_incidents(table)], hops)


def fraud_in_history(rows: Sequence[PaymentRow]) -> Selection:
    """Return the fraudulent payments of a shop's current payments."""
    table = tuple(rows)
    hops = counted_hops(history_hops(table), 0, _HISTORY_BATCH)
    return _select(table, [*dense_incidents(table)], hops)


def _select(table: Rows, dense: list[Incident], hops: list[Incident]) -> Selection:
    strong = [incident.ids for incident in dense]
    found = dense + [incident for incident in hops if not any(incident.ids <= other for other in strong)]
    found = [incident for incident in found if not any(incident.ids < other.ids for other in found)]
    taken: set[str] = set()
    rules: set[str] = set()
    for incident in sorted(found, key=lambda incident: (-fraud_score(incident), incident.rows[0].at, incident.rule)):
        if not incident.ids & taken:
            taken |= incident.ids
            rules.add(incident.rule)
    return Selection(tuple(row for row in table if row.id in taken), tuple(sorted(rules)))


_PAUSE: Final = timedelta(minutes=60)
"""The longest pause within a series: nobody is in another city, or hands a device on, in such a short time."""
_LONG: Final = timedelta(minutes=30)
"""A pause within a series that may also lie between two series, or an honest customer's travel."""


def series(rows: Rows) -> Iterator[Incident]:
    """Yield each run of payments at channels of the customers' own, of one customer in several cities or of several
    customers with one device."""
    own = [row for row in rows if row.is_own]
    for key in ("customer", "device"):
        for chain in (chain for group in grouped(own, KEYS[key]) for chain in chains(group, _PAUSE)):
            if (cities(chain) if key == "customer" else len({row.customer for row in chain})) > 1:
                yield Incident(f"series/{key}", chain)


def fraud_with_series(rows: Sequence[PaymentRow]) -> Selection:
    """Return the fraudulent payments of an export: whole series, or every incident if the table gives no channels."""
    table = tuple(rows)
    if not any(row.channel for row in table):
        return fraud_in_export(table)
    found = list(series(table))
    taken = frozenset().union(*(incident.ids for incident in found))
    return Selection(tuple(row for row in table if row.id in taken), tuple(sorted({one.rule for one in found})))


def uncertain_series(rows: Sequence[PaymentRow]) -> list[str]:
    """Return what of an export may be read in another way: refunds, pairs, long pauses, rows of other channels."""
    refunds = [row.id for row in rows if row.cents < 0]
    told = dict.fromkeys(f"{name} takes money back: see what the rules say of it and its payment" for name in refunds)
    for one in series(tuple(rows)):
        first, last = one.rows[0], one.rows[-1]
        pauses = [f"{left.id} and {right.id}" for left, right in pairwise(one.rows) if right.at - left.at > _LONG]
        beside = [row.id for row in rows if not row.is_own and row.customer == first.customer]
        within = [row.id for row in rows if row.id in beside and first.at <= row.at <= last.at]
        told |= dict.fromkeys(f"there are more than 30 minutes between {pair}" for pair in pauses)
        told |= dict.fromkeys(
            f"{name} is left out: it was paid at the shop, amid {first.customer}'s" for name in within
        )
        if len(one.rows) == 2:
            told[f"{first.id} and {last.id} are a pair"] = None
    return list(told)
