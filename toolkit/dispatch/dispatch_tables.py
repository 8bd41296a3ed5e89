"""Reads the tables of a wave: columns by the words of their headers, whatever their order."""

from __future__ import annotations

from typing import Final

from toolkit.dispatch.lane_delays import delay_chances
from toolkit.dispatch.wave import Lane, Package
from toolkit.finding import CannotRead
from toolkit.layout import columns_called, table_rows

_PACKAGE: Final = {
    "id": ("package id", "package", "id"),
    "origin": ("from store id", "from id", "from", "origin"),
    "destination": ("to store id", "to id", "to", "destination"),
    "due": ("due time", "due", "deadline"),
    "margin": ("margin cents", "margin"),
}
_LANE: Final = {
    "id": ("lane id", "lane", "id"),
    "origin": ("from", "from store id", "from id", "origin"),
    "destination": ("to", "to store id", "to id", "destination"),
    "capacity": ("capacity",),
    "eta": ("eta", "travel time"),
    "cost": ("cost cents", "cost"),
}
_HINT: Final = "delay"


def read_packages(text: str) -> list[Package]:
    """Return the packages of a table. Raises `CannotRead` for a table of another shape."""
    rows = table_rows(text)
    at = columns_called(rows, _PACKAGE)
    return [
        Package(
            row[at["id"]],
            row[at["origin"]],
            row[at["destination"]],
            _number(row[at["due"]]),
            _number(row[at["margin"]]),
        )
        for row in rows
    ]


def read_lanes(text: str) -> list[Lane]:
    """Return the lanes of a table, with the delays that its hints speak of. Raises `CannotRead`."""
    rows = table_rows(text)
    at = columns_called(rows, _LANE)
    return [
        Lane(
            row[at["id"]],
            row[at["origin"]],
            row[at["destination"]],
            max(_number(row[at["capacity"]]), 1),
            max(_number(row[at["eta"]]), 1),
            _number(row[at["cost"]]),
            delay_chances(next((value for key, value in row.items() if _HINT in key), "")),
        )
        for row in rows
    ]


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        msg = f"{text!r} in the table is no whole number"
        raise CannotRead(msg) from None
