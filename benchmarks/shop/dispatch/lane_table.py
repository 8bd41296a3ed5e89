"""Reads the lanes of a dispatch wave from a table of its document.

    lane_id,from,to,capacity,eta,cost_cents,delays
    lane_3,store_graz,store_linz,2,5,400,delays often; short when delayed

A lane connects two places. All times are in the same unit, which the tables do not name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.benchmarks.shop.dispatch.delays import ON_TIME, Chances, Rates
from controlplane.benchmarks.shop.texts.table_texts import (
    columns_called,
    table_rows,
    whole_number,
)


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane between two places."""

    id: str
    origin: str
    destination: str
    capacity: int
    """The number of packages on one trip."""
    eta: int
    """The units of time that a trip takes without delay, at least 1."""
    cost_cents: int
    """The cost of one trip."""
    delays: Chances = field(default_factory=lambda: ON_TIME)
    """The probabilities of the delay of a trip."""


@dataclass(frozen=True, slots=True)
class LaneTable:
    """The lanes that a table lists."""

    lanes: list[Lane]
    unknown_hints: list[str]
    """Delay hints of which the rates are not known. Their lanes are planned without delays."""


_LANE_COLUMNS: Final = {
    "id": ("lane id", "lane", "id"),
    "origin": ("from", "from store id", "from id", "origin"),
    "destination": ("to", "to store id", "to id", "destination"),
    "capacity": ("capacity",),
    "eta": ("eta", "travel time"),
    "cost": ("cost cents", "cost"),
}


def read_lanes(text: str, rates: Rates) -> LaneTable:
    """Return the lanes that a table lists, with the delays that their hints mean.

    Raises `CannotRead` for any other table.
    """
    rows = table_rows(text)
    columns = columns_called(rows, _LANE_COLUMNS)
    lanes = []
    unknown_hints = []
    for row in rows:
        hint = _delay_hint(row)
        delays = rates.chances(hint)
        if hint and delays is None and hint not in unknown_hints:
            unknown_hints.append(hint)
        lane = Lane(
            id=row[columns["id"]],
            origin=row[columns["origin"]],
            destination=row[columns["destination"]],
            capacity=max(whole_number(row[columns["capacity"]]), 1),
            eta=max(whole_number(row[columns["eta"]]), 1),
            cost_cents=whole_number(row[columns["cost"]]),
            delays=delays or ON_TIME,
        )
        lanes.append(lane)
    return LaneTable(lanes, unknown_hints)


def _delay_hint(row: Mapping[str, str]) -> str:
    """Return the cell of the first column that is about delays; empty if there is none."""
    for header, cell in row.items():
        if "delay" in header:
            return cell
    return ""
