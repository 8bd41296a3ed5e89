"""Plans the lanes of the packages in a dispatch wave, so that trips and delays cost least."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final, NamedTuple, TypeAlias

import re2

from controlplane.benchmarks.shop.amounts import money_in_text
from controlplane.benchmarks.shop.table_texts import columns_called, table_rows
from controlplane.benchmarks.shop.text import normal_words
from controlplane.sandbox.functions import CannotRead

Chances: TypeAlias = Mapping[int, float]
"""The probability of each delay in units of time."""
ON_TIME: Final[Chances] = {0: 1.0}


class Rates(NamedTuple):
    """What the words of delay hints mean, and what lateness costs, as a page or the caller says."""

    shares: Mapping[str, float] = {}
    """The share of delayed trips, 0 to 1, by the word of a hint."""
    lengths: Mapping[str, tuple[int, int]] = {}
    """The shortest and the longest delay in units of time, by the word of a hint."""
    late_cents: int | None = None
    """The cost of one unit of time behind the due time of a package; None if nobody says so."""

    def chances(self, hint: str) -> Chances | None:
        """Return the chances of all delays for a hint such as `delays often; short when delayed`.

        None if no single word of the hint has a share, or none has a length.
        """
        words = normal_words(hint).split()
        shares = {self.shares[word] for word in words if word in self.shares}
        bounds = {self.lengths[word] for word in words if word in self.lengths}
        if len(shares) != 1 or len(bounds) != 1:
            return None
        (share,), ((shortest, longest),) = shares, bounds
        lengths = range(shortest, longest + 1)
        return {0: 1 - share} | dict.fromkeys(lengths, share / len(lengths))


_ROW: Final = re2.compile(r"\s*\|([^|]*)\|([^|]*)\|\s*")
_SHARE: Final = re2.compile(r"(\d{1,3}(?:\.\d{1,9})?) ?% of trips")
_LENGTH: Final = re2.compile(r"(\d{1,3}) to (\d{1,3}) time units")
_LATE: Final = "late"


def read_rates(text: str) -> Rates:
    """Return the rates in the Markdown tables of a page: rows of a word and `8 % of trips`, or `1 to 3 time units`, or,
    for the word `late`, an amount `per time unit`."""
    delays, late = dict[str, object](), None
    for row in filter(None, map(_ROW.fullmatch, text.splitlines())):
        word, rate = (cell.strip().strip("`") for cell in row.groups())
        if share := _SHARE.fullmatch(rate):
            delays[word] = min(float(share[1]), 100)
        elif (length := _LENGTH.fullmatch(rate)) and int(length[1]) <= int(length[2]):
            delays[word] = [int(length[1]), int(length[2])]
        elif normal_words(word) == _LATE and rate.endswith("per time unit"):
            late = money_in_text(rate)
    return given_rates(late or 0, delays)


def given_rates(late_cents: int, delays: object) -> Rates:
    """Return the rates that a caller gives: cents, and by the word of a hint trips in 100 or `[shortest, longest]`.

    Without cents (0) lateness has no price. Raises `CannotRead` for delays of another form.
    """
    shares, lengths = dict[str, float](), dict[str, tuple[int, int]]()
    for word, rate in delays.items() if isinstance(delays, Mapping) else [("delays", None)]:
        if isinstance(rate, int | float) and 0 <= rate <= 100:
            shares[normal_words(str(word))] = rate / 100
        elif (
            isinstance(rate, Sequence)
            and len(rate) == 2
            and all(isinstance(each, int) for each in rate)
        ):
            # The longest delay in units of time.
            lengths[normal_words(str(word))] = (max(min(rate), 0), min(max(rate), 999))
        else:
            msg = f"{word!r} is neither trips in 100 nor [shortest, longest], as in {{'often': 20, 'short': [1, 2]}}"
            raise CannotRead(msg)
    return Rates(shares, lengths, late_cents or None)


def summed(chances: Iterable[Chances]) -> Chances:
    """Return the chances of the sum of independent delays."""
    total = ON_TIME
    for delays in chances:
        sums: dict[int, float] = {}
        for (before, likely), (delay, chance) in product(total.items(), delays.items()):
            sums[before + delay] = sums.get(before + delay, 0.0) + likely * chance
        total = sums
    return total


class Package(NamedTuple):
    """A package: origin, destination, due time (in units of time), margin, and what each unit of lateness costs."""

    id: str
    origin: str
    destination: str
    due: int
    margin_cents: int
    late_cents: int


class Lane(NamedTuple):
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


def _table(
    text: str, wanted: Mapping[str, tuple[str, ...]]
) -> list[tuple[dict[str, str], list[str]]]:
    """Return the rows of a table, each with its cells of the wanted columns. Raises `CannotRead`."""
    rows = table_rows(text)
    at = columns_called(rows, wanted)
    return [(row, [row[at[name]] for name in wanted]) for row in rows]


def read_packages(text: str, late_cents: int | None) -> list[Package]:
    """Return the packages of a table; without a price of lateness, one unit costs as much as all packages earn.

    Raises `CannotRead` for a table of another shape.
    """
    cells = [cells for _, cells in _table(text, _PACKAGE)]
    if late_cents is None:
        late_cents = sum(max(_number(margin), 0) for *_, margin in cells)
    return [
        Package(name, origin, destination, _number(due), _number(margin), late_cents)
        for name, origin, destination, due, margin in cells
    ]


def read_lanes(text: str, rates: Rates) -> tuple[list[Lane], list[str]]:
    """Return the lanes of a table with the delays in its hints, and the hints for which there are no rates.

    A lane with such a hint has no delays. Raises `CannotRead` for a table of another shape.
    """
    lanes, unknown = [], dict[str, None]()
    for row, (name, origin, destination, capacity, eta, cost) in _table(text, _LANE):
        hint = next((value for key, value in row.items() if _HINT in key), "")
        delays = rates.chances(hint)
        if hint and delays is None:
            unknown[hint] = None
        bounds = max(_number(capacity), 1), max(_number(eta), 1)
        lanes.append(Lane(name, origin, destination, *bounds, _number(cost), delays or ON_TIME))
    return lanes, [*unknown]


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        msg = f"{text!r} in the table is no whole number"
        raise CannotRead(msg) from None


@dataclass(frozen=True, slots=True)
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
        return sum(lane.cost_cents for lane in self.route) + self.late_cents(self.slack)

    def late_cents(self, spare: int) -> float:
        """Return the expected cost of lateness if `spare` units of time are left without delay."""
        late = sum(
            chance * (delay - spare) for delay, chance in self.chances.items() if delay > spare
        )
        return self.package.late_cents * late


_Chosen = Mapping[str, _Way]


class ProfitPlan(NamedTuple):
    """The routes of all packages that have one, and what to expect of them."""

    routes: Mapping[str, Route]
    """By package, in the order in which packages leave a queue."""
    margin_cents: int
    """The margins of these packages."""
    trip_cents: int
    """Cost of all trips."""
    late_cents: float
    """Expected cost of lateness."""


def plan_for_profit(packages: Sequence[Package], lanes: Sequence[Lane]) -> ProfitPlan | None:
    """Return the best plan that a local search finds from each package's cheapest route.

    None if no package can be routed. If two packages wait for a lane, the one with less time to spare goes first.
    Packages without a route are left out.
    """
    ways = {
        package.id: package_ways for package in packages if (package_ways := _ways(package, lanes))
    }
    if not ways:
        return None
    chosen = _best(ways)
    trips, late = _expected_cents(chosen)
    return ProfitPlan(
        {name: chosen[name].route for name in _by_slack(chosen)},
        sum(way.package.margin_cents for way in chosen.values()),
        trips,
        late,
    )


def _ways(package: Package, lanes: Sequence[Lane]) -> list[_Way]:
    every = (
        _Way(package, route, summed(lane.delays for lane in route))
        for route in routes(package, lanes)
    )
    # Most routes to try for one package.
    return sorted(every, key=lambda way: (way.alone_cents, [lane.id for lane in way.route]))[:6]


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
                waiting.setdefault(route[leg].id, (route[leg], []))[1].append(
                    (rank[package], package, leg)
                )
        for name in list(waiting):
            lane, line = waiting.pop(name)
            line.sort()
            cost += lane.cost_cents
            there = queue.setdefault(time + lane.eta, [])
            there += [(package, leg + 1) for _, package, leg in line[: lane.capacity]]
            if line[lane.capacity :]:
                waiting[name] = (lane, line[lane.capacity :])
        time = time + 1 if waiting else min(queue, default=time)
    return arrived, cost


def _expected_cents(chosen: _Chosen) -> tuple[int, float]:
    """Return the cost of all trips, and the expected cost of lateness."""
    arrived, trips = _played(chosen)
    return trips, sum(
        way.late_cents(way.package.due - arrived[package]) for package, way in chosen.items()
    )


def _best(ways: Mapping[str, Sequence[_Way]]) -> _Chosen:
    """Change the route of one package, then of two at once that share a lane, for as long as the plan gets better.

    Two packages that pass the same place may earn more on one lane, though neither does alone.
    """
    chosen = {name: package_ways[0] for name, package_ways in ways.items()}
    # Most plans to play.
    cost, left, is_better = sum(_expected_cents(chosen)), 6_000, True
    pairs = [
        {first: one, second: other}
        for first, second in combinations(ways, 2)
        for one in ways[first]
        for other in ways[second]
        if {lane.id for lane in one.route} & {lane.id for lane in other.route}
    ]
    singles = [{name: way} for name, package_ways in ways.items() for way in package_ways]
    while is_better and left:
        is_better = False
        for changed in (*singles, *pairs):
            if (is_better and len(changed) > 1) or not left:
                break
            left -= 1
            tried = {**chosen, **changed}
            if (tried_cost := sum(_expected_cents(tried))) < cost:
                chosen, cost, is_better = tried, tried_cost, True
    return chosen


_WAVE: Final = re.compile(r"(?<![\w/])/ops/dispatch/[\w./-]*?[\w-]+\.md\b")


def wave_path(text: str) -> str:
    """Return the first document below the dispatch folder that a text names; empty if the text names none."""
    match = _WAVE.search(text)
    return match[0] if match else ""
