"""Plans the lanes of the packages in a dispatch wave, so that trips and delays cost least."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from toolkit import CannotRead
from toolkit.layout import columns_called, table_rows

Chances: TypeAlias = tuple[tuple[int, float], ...]
"""Delays in units of time, with their probabilities."""
ON_TIME: Final[Chances] = ((0, 1.0),)
LATE_CENTS: Final = 650
"""The cost of one unit of time behind the due time of a package."""
_OFTEN: Final = (("unlikely", 26 / 256), ("rare", 26 / 256), ("often", 58 / 256), ("likely", 90 / 256))
_LONG: Final = (("short", (1, 3)), ("medium", (2, 4)), ("long", (5, 8)))


def delay_chances(hint: str) -> Chances:
    """Return the chances of all delays for a hint such as `delays often; short when delayed`."""
    words = set(re.findall(r"[a-z]+", hint.casefold()))
    chance = next((often for word, often in _OFTEN if word in words), 0.0)
    span = next((bounds for word, bounds in _LONG if word in words), None)
    if not chance or span is None:
        return ON_TIME
    lengths = range(span[0], span[1] + 1)
    return ((0, 1 - chance), *((length, chance / len(lengths)) for length in lengths))


def summed(chances: Iterable[Chances]) -> Chances:
    """Return the chances of the sum of independent delays."""
    total = {0: 1.0}
    for delays in chances:
        sums: dict[int, float] = {}
        for before, likely in total.items():
            for delay, chance in delays:
                sums[before + delay] = sums.get(before + delay, 0.0) + likely * chance
        total = sums
    return tuple(total.items())


def late_cents(chances: Chances, spare: int) -> float:
    """Return the expected cost of lateness if `spare` units of time are left without delay."""
    return LATE_CENTS * sum(chance * (delay - spare) for delay, chance in chances if delay > spare)


@dataclass(frozen=True, slots=True)
class Package:
    """A package: origin, destination, due time (in units of time), and margin."""

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
MOST_LANES: Final = 4
"""Most lanes of one route: between any two places of a wave a good route has fewer."""


def routes(package: Package, lanes: Sequence[Lane]) -> Iterator[Route]:
    """Yield every route of at most `MOST_LANES` lanes without a repeated place, shortest first."""
    leaving: dict[str, list[Lane]] = {}
    for lane in lanes:
        leaving.setdefault(lane.origin, []).append(lane)
    paths: list[tuple[Route, frozenset[str]]] = [((), frozenset({package.origin}))]
    for _ in range(MOST_LANES):
        longer = []
        for route, seen in paths:
            for lane in leaving.get(route[-1].destination if route else package.origin, ()):
                if lane.destination == package.destination:
                    yield (*route, lane)
                elif lane.destination not in seen:
                    longer.append(((*route, lane), seen | {lane.destination}))
        paths = longer


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
    """Return the lanes of a table, with the delays in its hints. Raises `CannotRead`."""
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


MOST_WAYS: Final = 6
"""Most routes to try for one package."""
MOST_TRIALS: Final = 6_000
"""Most plans to play."""


@dataclass(frozen=True)
class _Way:
    """One route of a package, with the chances of its delays."""

    package: Package
    route: Route
    chances: Chances

    @property
    def slack(self) -> int:
        return self.package.due - sum(lane.eta for lane in self.route)

    @property
    def alone_cents(self) -> float:
        return sum(lane.cost_cents for lane in self.route) + late_cents(self.chances, self.slack)


_Chosen = Mapping[str, _Way]


@dataclass(frozen=True, slots=True)
class ProfitPlan:
    """The routes of all packages that have one, and the expected cost and gain."""

    routes: Mapping[str, Route]
    """By package, in the order in which packages leave a queue."""
    cost_cents: float
    """Cost of trips and lateness."""
    gain_cents: float
    """The margins of the packages without that cost."""


def plan_for_profit(packages: Sequence[Package], lanes: Sequence[Lane]) -> ProfitPlan | None:
    """Return the best plan that a local search finds from each package's cheapest route.

    None if no package can be routed. If two packages wait for a lane, the one with less time to spare goes first.
    Packages without a route are left out.
    """
    ways = {package.id: package_ways for package in packages if (package_ways := _ways(package, lanes))}
    if not ways:
        return None
    chosen = _Search(ways).best()
    cost = _expected_cents(chosen)
    return ProfitPlan(
        {name: chosen[name].route for name in _by_slack(chosen)},
        cost,
        sum(way.package.margin_cents for way in chosen.values()) - cost,
    )


def _ways(package: Package, lanes: Sequence[Lane]) -> list[_Way]:
    every = (_Way(package, route, summed(lane.delays for lane in route)) for route in routes(package, lanes))
    return sorted(every, key=lambda way: (way.alone_cents, [lane.id for lane in way.route]))[:MOST_WAYS]


def _by_slack(chosen: _Chosen) -> list[str]:
    return sorted(chosen, key=lambda package: chosen[package].slack)


def _played(chosen: _Chosen) -> tuple[dict[str, int], int]:
    """Return the arrival of each package without delays, and the cost of all trips in cents."""
    rank = {package: at for at, package in enumerate(_by_slack(chosen))}
    queue: dict[int, list[tuple[str, int]]] = {0: [(package, 0) for package in chosen]}
    waiting: dict[str, tuple[Lane, list[tuple[int, str, int]]]] = {}
    arrived: dict[str, int] = {}
    cost = time = 0
    while queue or waiting:
        for package, leg in queue.pop(time, ()):
            route = chosen[package].route
            if leg == len(route):
                arrived[package] = time
            else:
                waiting.setdefault(route[leg].id, (route[leg], []))[1].append((rank[package], package, leg))
        for name in list(waiting):
            lane, line = waiting.pop(name)
            line.sort()
            cost += lane.cost_cents
            there = queue.setdefault(time + lane.eta, [])
            there += [(package, leg + 1) for _, package, leg in line[: lane.capacity]]
            if line[lane.capacity :]:
                waiting[name] = (lane, line[lane.capacity :])
        time += 1
    return arrived, cost


def _expected_cents(chosen: _Chosen) -> float:
    arrived, cost = _played(chosen)
    return cost + sum(late_cents(way.chances, way.package.due - arrived[package]) for package, way in chosen.items())


class _Search:
    """Changes the route of one package, then of two at once that share a lane, for as long as the plan gets better."""

    def __init__(self, ways: Mapping[str, Sequence[_Way]]) -> None:
        self._ways = ways
        self._chosen = {name: package_ways[0] for name, package_ways in ways.items()}
        self._best = _expected_cents(self._chosen)
        self._trials = 0

    def best(self) -> dict[str, _Way]:
        while self._single() or self._pairs():
            pass
        return self._chosen

    def _take(self, changed: Mapping[str, _Way]) -> bool:
        if self._trials >= MOST_TRIALS:
            return False
        self._trials += 1
        tried = {**self._chosen, **changed}
        cost = _expected_cents(tried)
        if cost >= self._best:
            return False
        self._best, self._chosen = cost, tried
        return True

    def _single(self) -> bool:
        is_better = False
        for package, package_ways in self._ways.items():
            for way in package_ways:
                is_better |= self._take({package: way})
        return is_better

    def _pairs(self) -> bool:
        """Two packages that pass the same place may earn more on one lane, though neither does alone."""
        names = list(self._ways)
        return any(
            self._take({first: one, second: other})
            for at, first in enumerate(names)
            for second in names[at + 1 :]
            for one in self._ways[first]
            for other in self._ways[second]
            if {lane.id for lane in one.route} & {lane.id for lane in other.route}
        )


_WAVE: Final = re.compile(r"(?<![\w/])/ops/dispatch/[\w./-]*?[\w-]+\.md\b")


def wave_path(text: str) -> str:
    """Return the first document below the dispatch folder that a text names; empty if the text names none."""
    match = _WAVE.search(text)
    return match[0] if match else ""
