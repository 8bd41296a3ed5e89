"""Reads the packages of a dispatch wave from a table of its document.

    package_id,from,to,due,margin_cents
    pkg_1,store_graz,store_linz,12,900

A package goes from one place to another, until it is due. All times are in the same unit, which
the tables do not name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.texts.table_texts import (
    columns_called,
    table_rows,
    whole_number,
)


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


# The possible headers of each column, best first.
_PACKAGE_COLUMNS: Final = {
    "id": ("package id", "package", "id"),
    "origin": ("from store id", "from id", "from", "origin"),
    "destination": ("to store id", "to id", "to", "destination"),
    "due": ("due time", "due", "deadline"),
    "margin": ("margin cents", "margin"),
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
            max(whole_number(row[columns["margin"]]), 0) for row in rows
        )
    packages = []
    for row in rows:
        package = Package(
            id=row[columns["id"]],
            origin=row[columns["origin"]],
            destination=row[columns["destination"]],
            due=whole_number(row[columns["due"]]),
            margin_cents=whole_number(row[columns["margin"]]),
            late_cents_per_unit=late_cents_per_unit,
        )
        packages.append(package)
    return packages
