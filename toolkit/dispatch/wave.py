"""The packages and lanes of one dispatch wave, and the routes of a package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.dispatch.lane_delays import ON_TIME, Chances

MOST_LANES: Final = 5
"""Lanes of one route: between any two places of a wave a good route has fewer."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package: from where to where, until when (in units of time), and what it earns."""

    id: str
    origin: str
    destination: str
    due: int
    margin_cents: int


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane: one trip carries `capacity` packages, takes `eta` units of time and costs `cost_cents`."""

    id: str
    origin: str
    destination: str
    capacity: int
    eta: int
    cost_cents: int
    delays: Chances = ON_TIME


Route = tuple[Lane, ...]


def routes(package: Package, lanes: Sequence[Lane], most_lanes: int = MOST_LANES) -> Iterator[Route]:
    """Yield every route of a package that visits no place twice, shortest first."""
    leaving: dict[str, list[Lane]] = {}
    for lane in lanes:
        leaving.setdefault(lane.origin, []).append(lane)
    paths: list[tuple[Route, frozenset[str]]] = [((), frozenset({package.origin}))]
    for _ in range(most_lanes):
        longer = []
        for route, seen in paths:
            for lane in leaving.get(route[-1].destination if route else package.origin, ()):
                if lane.destination == package.destination:
                    yield (*route, lane)
                elif lane.destination not in seen:
                    longer.append(((*route, lane), seen | {lane.destination}))
        paths = longer


def travel(route: Route) -> int:
    """Return how long a route takes without waiting, in units of time."""
    return sum(lane.eta for lane in route)


def cost_cents(route: Route) -> int:
    """Return what a package pays on a route, in cents."""
    return sum(lane.cost_cents for lane in route)
