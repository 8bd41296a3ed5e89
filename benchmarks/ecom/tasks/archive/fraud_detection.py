"""Finds the fraudulent rows of an export from its rows alone.

An incident is a chain of payments that customers made themselves, each within half an hour of the one before: four or
more of one customer over three or more cities, or four or more of one device for three or more customers. Payments that
staff or a shop's own kiosk took are none, for there many customers share a device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Final

from benchmarks.ecom.tasks.archive.export_rows import ExportRow

OWN_CHANNELS: Final = ("web", "mobile_app", "customer_terminal")
GAP: Final = timedelta(minutes=30)
FEWEST_ROWS: Final = 4
FEWEST_PLACES: Final = 3


def fraud_rows(rows: Iterable[ExportRow]) -> list[ExportRow]:
    """Return the rows that belong to incidents, in their order."""
    every = list(rows)
    own = sorted((row for row in every if row.archive_channel in OWN_CHANNELS), key=lambda row: row.moment)
    guilty = {row.row_id for row in _of(own, lambda row: row.customer_ref, lambda row: row.store_city)}
    guilty |= {row.row_id for row in _of(own, lambda row: row.device_fingerprint, lambda row: row.customer_ref)}
    return [row for row in every if row.row_id in guilty]


def _of(
    rows: Iterable[ExportRow], actor: Callable[[ExportRow], str], place: Callable[[ExportRow], str]
) -> Iterator[ExportRow]:
    """Yield the rows of every chain of one actor that is long enough and passes through enough places."""
    by_actor: dict[str, list[ExportRow]] = {}
    for row in rows:
        by_actor.setdefault(actor(row), []).append(row)
    for found in by_actor.values():
        for chain in _chains(found):
            if len(chain) >= FEWEST_ROWS and len({place(row) for row in chain}) >= FEWEST_PLACES:
                yield from chain


def _chains(rows: Iterable[ExportRow]) -> Iterator[list[ExportRow]]:
    chain: list[ExportRow] = []
    for row in rows:
        if chain and row.moment - chain[-1].moment > GAP:
            yield chain
            chain = []
        chain.append(row)
    if chain:
        yield chain
