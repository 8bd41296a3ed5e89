"""Reads the packages and lanes of a dispatch wave from the tables of its document.

A package goes from one place to another, with a due time. A lane connects two places. All times
are in the same unit, which the tables do not name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.benchmarks.shop.dispatch.delays import ON_TIME, Chances, Rates
from controlplane.benchmarks.shop.texts.table_texts import columns_called, table_rows
from controlplane.sandbox.functions import CannotRead


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the wave."""

    id: str
    origin: str
    destination: str
    due: int
    """In units of time from the start of the wave."""
    margin_cents: int
    """What the shop earns by the package, before trips and lateness."""
    late_cents_per_unit: int
    """The price of each unit of time that the package is late."""


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


# The possible headers of each column, best first.
_PACKAGE_COLUMNS: Final = {
    "id": ("package id", "package", "id"),
    "origin": ("from store id", "from id", "from", "origin"),
    "destination": ("to store id", "to id", "to", "destination"),
    "due": ("due time", "due", "deadline"),
    "margin": ("margin cents", "margin"),
}
_LANE_COLUMNS: Final = {
    "id": ("lane id", "lane", "id"),
    "origin": ("from", "from store id", "from id", "origin"),
    "destination": ("to", "to store id", "to id", "destination"),
    "capacity": ("capacity",),
    "eta": ("eta", "travel time"),
    "cost": ("cost cents", "cost"),
}


def read_packages(text: str, late_cents: int | None) -> list[Package]:
    """Return the packages that a table lists. Raises `CannotRead` for any other table.

    `late_cents` is the price of a late unit of time; None if it is not known. Then a
    late unit costs as much as all packages earn, so that no plan gains by lateness.
    """
    rows = table_rows(text)
    columns = columns_called(rows, _PACKAGE_COLUMNS)
    if late_cents is not None:
        late_cents_per_unit = late_cents
    else:
        late_cents_per_unit = sum(
            max(_integer(row[columns["margin"]]), 0) for row in rows
        )
    packages = []
    for row in rows:
        package = Package(
            id=row[columns["id"]],
            origin=row[columns["origin"]],
            destination=row[columns["destination"]],
            due=_integer(row[columns["due"]]),
            margin_cents=_integer(row[columns["margin"]]),
            late_cents_per_unit=late_cents_per_unit,
        )
        packages.append(package)
    return packages


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
            capacity=max(_integer(row[columns["capacity"]]), 1),
            eta=max(_integer(row[columns["eta"]]), 1),
            cost_cents=_integer(row[columns["cost"]]),
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


def _integer(text: str) -> int:
    """Return the whole number in a cell. Raises `CannotRead` for any other text."""
    try:
        return int(text)
    except ValueError:
        msg = f"{text!r} in the table is no whole number"
        raise CannotRead(msg) from None


_WAVE_DOCUMENT: Final = re.compile(r"(?<![\w/])/ops/dispatch/[\w./-]*?[\w-]+\.md\b")


def wave_path(text: str) -> str:
    """Return the first document below the dispatch folder that a text names, or an empty text."""
    match = _WAVE_DOCUMENT.search(text)
    return match[0] if match else ""
