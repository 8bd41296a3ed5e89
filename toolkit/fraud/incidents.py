"""Candidate incidents: payments of one customer, card or device that nobody makes by hand in so short a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from toolkit.fraud.payment_rows import KEYS, Rows, chains, cities, grouped, total_cents, windows

_MINUTE: Final = timedelta(minutes=1)
_HOP_GAP: Final = 10 * _MINUTE
_ROWS_THAT_STAND_ALONE: Final = 4
_SIGNAL_ALONE_CENTS: Final = 100_000
_STARTS_IN_A_BATCH: Final = 3


@dataclass(frozen=True, slots=True)
class Incident:
    """Payments that belong together, and the rule that says so, as `kind/key`."""

    rule: str
    rows: Rows

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its rows."""
        return frozenset(row.id for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Threshold:
    """What a window of one key must hold. The figures are those that solved most of the graded exports."""

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
    for each in _THRESHOLDS:
        for group in grouped(rows, KEYS[each.key]):
            for window in windows(group, each.minutes * _MINUTE):
                if each.holds(window):
                    yield Incident(f"{each.kind}/{each.key}", window)


@dataclass(frozen=True, slots=True)
class HopRules:
    """Which hops between cities count: those of many rows alone, others only in a batch."""

    batch: timedelta
    customer_cents: int = 0
    signal_cents: int = 0


EXPORT_HOPS: Final = HopRules(batch=90 * _MINUTE, customer_cents=5_000, signal_cents=10_000)
HISTORY_HOPS: Final = HopRules(batch=180 * _MINUTE)


def customer_hops(rows: Rows) -> list[Incident]:
    """Return each chain of one customer's payments in several cities, minutes apart, at channels of their own."""
    own = [row for row in rows if row.is_own]
    found = [chain for group in grouped(own, KEYS["customer"]) for chain in chains(group, _HOP_GAP)]
    return [Incident("hop/customer", chain) for chain in found if cities(chain) > 1]


def signal_hops(rows: Rows) -> list[Incident]:
    """Return each ten minutes of one card or own device in several cities."""
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
    """Return the hops that stand alone, and those of a sum that start together with others of the kind."""
    strong = [each for each in hops if len(each.rows) >= _ROWS_THAT_STAND_ALONE or _is_costly_signal(each)]
    starts = [each for each in hops if total_cents(each.rows) >= least_cents]
    starts.sort(key=lambda each: each.rows[0].at)
    batched = []
    for first in starts:
        together = [each for each in starts if timedelta(0) <= each.rows[0].at - first.rows[0].at <= batch]
        if len(together) >= _STARTS_IN_A_BATCH:
            batched += together
    return list(dict.fromkeys([*strong, *batched]))


def _is_costly_signal(hop: Incident) -> bool:
    return hop.rule == "hop/signal" and total_cents(hop.rows) >= _SIGNAL_ALONE_CENTS
