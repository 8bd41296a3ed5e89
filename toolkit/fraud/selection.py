"""Chooses among overlapping incidents, so that every fraudulent payment is named once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.fraud.incidents import (
    EXPORT_HOPS,
    HISTORY_HOPS,
    Incident,
    counted_hops,
    customer_hops,
    dense_incidents,
    history_hops,
    signal_hops,
)
from toolkit.fraud.payment_rows import PaymentRow, Rows, cities, total_cents

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
    """Return how convincing an incident is: by rule, rows, cities, density, own channels and sum."""
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
    hops = counted_hops(customer_hops(table), EXPORT_HOPS.customer_cents, EXPORT_HOPS.batch)
    hops += counted_hops(signal_hops(table), EXPORT_HOPS.signal_cents, EXPORT_HOPS.batch)
    return _select(table, [*dense_incidents(table)], hops)


def fraud_in_history(rows: Sequence[PaymentRow]) -> Selection:
    """Return the fraudulent payments of a shop's current payments."""
    table = tuple(rows)
    hops = counted_hops(history_hops(table), HISTORY_HOPS.customer_cents, HISTORY_HOPS.batch)
    return _select(table, [*dense_incidents(table)], hops)


def _select(table: Rows, dense: list[Incident], hops: list[Incident]) -> Selection:
    strong = [each.ids for each in dense]
    found = dense + [each for each in hops if not any(each.ids <= other for other in strong)]
    found = [each for each in found if not any(each.ids < other.ids for other in found)]
    taken: set[str] = set()
    rules: set[str] = set()
    for each in sorted(found, key=lambda each: (-fraud_score(each), each.rows[0].at, each.rule)):
        if not each.ids & taken:
            taken |= each.ids
            rules.add(each.rule)
    return Selection(tuple(row for row in table if row.id in taken), tuple(sorted(rules)))
