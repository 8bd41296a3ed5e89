"""A dispatch wave: packages that must travel between branches, and the lanes that carry them.

The shapes of both tables follow the public benchmark's waves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

LANE_COLUMNS: Final = ("lane_id", "from", "to", "capacity", "eta", "cost_cents", "delay_hint")


@dataclass(frozen=True, slots=True)
class Package:
    """One package. `due` is in time units from the start of the wave."""

    id: str
    start: str
    end: str
    due: int
    margin_cents: int


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane, with the capacity and the cost of one trip, and its travel time without delay."""

    id: str
    start: str
    end: str
    capacity: int
    eta: int
    cost_cents: int
    frequency: str
    """How often a trip is delayed: `unlikely`, `often` or `likely`."""
    length: str
    """How long a delay is: `short`, `medium` or `long`."""


@dataclass(frozen=True)
class Wave:
    """Packages and lanes by id, in the order of their tables."""

    id: str
    packages: Mapping[str, Package]
    lanes: Mapping[str, Lane]

    @cached_property
    def departures(self) -> Mapping[str, list[Lane]]:
        """The lanes that leave each place."""
        found: dict[str, list[Lane]] = {}
        for lane in self.lanes.values():
            found.setdefault(lane.start, []).append(lane)
        return found

    def connects(self, package: Package, route: tuple[str, ...]) -> bool:
        """Say whether the lanes of a route exist and lead from the package's start to its end."""
        place = package.start
        for lane_id in route:
            lane = self.lanes.get(lane_id)
            if lane is None or lane.start != place:
                return False
            place = lane.end
        return place == package.end


def parse_wave(wave_id: str, packages_tsv: str, lanes_tsv: str) -> Wave:
    """Return the wave of two tables. Raises `KeyError` or `ValueError` for tables of another shape."""
    packages = [
        Package(
            row["package_id"], row["from_store_id"], row["to_store_id"], int(row["due_time"]), int(row["margin_cents"])
        )
        for row in _rows(packages_tsv)
    ]
    lanes = [_lane(row) for row in _rows(lanes_tsv)]
    return Wave(wave_id, {each.id: each for each in packages}, {each.id: each for each in lanes})


def _rows(table: str) -> list[dict[str, str]]:
    header, *lines = [line.split("\t") for line in table.splitlines() if line]
    return [dict(zip(header, line, strict=True)) for line in lines]


def _lane(row: Mapping[str, str]) -> Lane:
    often, _, long = row["delay_hint"].partition("; ")
    return Lane(
        id=row["lane_id"],
        start=row["from"],
        end=row["to"],
        capacity=int(row["capacity"]),
        eta=int(row["eta"]),
        cost_cents=int(row["cost_cents"]),
        frequency=often.removeprefix("delays "),
        length=long.removesuffix(" when delayed"),
    )
