"""Dispatch waves: which way the packages of a day should take, at the least expected cost.

`tables_of_wave` reads the tables of a wave, `route_choices` lists the ways of a package with how
likely delays are, and `simulated` says what a plan would cost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import re2

from controlplane.benchmarks.shop.texts import (
    columns_called,
    money_in_text,
    named_paths,
    normal_words,
    require,
    table_rows,
    whole_number,
)
from controlplane.benchmarks.shop.workspace.kinds import is_document

if TYPE_CHECKING:
    # The trusted process plans waves, too, and never reads a workspace.
    from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

# How likely delays of a lane are, by the words of its hint.
#
# A lane of a dispatch wave has a hint such as `delays often; short when delayed`. If `often` means
# 20 % of trips, and `short` a delay of 1 to 2 units of time, then 8 of 10 trips are on time, and 1
# of 10 is late by each of 1 and 2 units.

_Chances: TypeAlias = Mapping[int, float]
"""The probability of each delay, by the delay in units of time."""
_ON_TIME: Final[_Chances] = {0: 1.0}
"""The probabilities of delays if there is never one."""


@dataclass(frozen=True, slots=True)
class DelayLength:
    """The shortest and the longest delay in units of time."""

    shortest: int
    longest: int


@dataclass(frozen=True, slots=True)
class Rates:
    """What the words in delay hints mean, and the price of lateness.

    A hint such as `delays often; short when delayed` describes the delays of a lane. The
    shop's page gives the rates. A caller may replace some of them (`changed_by`).
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    """The share of trips that are delayed, from 0 to 1, by a word of a hint such as `often`."""
    lengths: Mapping[str, DelayLength] = field(default_factory=dict)
    """The length of delays, by a word of a hint such as `short`."""
    late_cents: int | None = None
    """The price of each unit of time that a package is late; None if unknown."""

    def changed_by(self, changes: Rates) -> Rates:
        """Return these rates with the values of `changes`, where it has any."""
        late_cents = self.late_cents
        if changes.late_cents is not None:
            late_cents = changes.late_cents
        return Rates(
            {**self.shares, **changes.shares},
            {**self.lengths, **changes.lengths},
            late_cents,
        )

    def chances(self, hint: str) -> _Chances | None:
        """Return the probability of each delay for a hint: `delays often; short when delayed`.

        If `often` is 20 % of trips and `short` 1 to 2 units, it is `{0: 0.8, 1: 0.1, 2: 0.1}`:
        all lengths are equally likely. The result is None unless the hint names one share
        (`often`) and one length (`short`).
        """
        words = normal_words(hint).split()
        shares = {self.shares[word] for word in words if word in self.shares}
        lengths = {self.lengths[word] for word in words if word in self.lengths}
        if len(shares) != 1 or len(lengths) != 1:
            return None
        share = shares.pop()
        length = lengths.pop()
        delays = range(length.shortest, length.longest + 1)
        chances = {0: 1 - share}
        for delay in delays:
            # If the shortest delay is 0, its probability replaces that of being on time.
            chances[delay] = share / len(delays)
        return chances


def summed(chances: Iterable[_Chances]) -> _Chances:
    """Return the probabilities of the sum of independent delays.

    Two delays of 0 or 1, each with `{0: 0.5, 1: 0.5}` -> `{0: 0.25, 1: 0.5, 2: 0.25}`
    """
    total = _ON_TIME
    for next_chances in chances:
        sums: dict[int, float] = {}
        for sum_so_far, sum_chance in total.items():
            for delay, chance in next_chances.items():
                new_sum = sum_so_far + delay
                sums[new_sum] = sums.get(new_sum, 0.0) + sum_chance * chance
        total = sums
    return total


# Reads the lanes of a dispatch wave from a table of its document.
#
#     lane_id,from,to,capacity,eta,cost_cents,delays
#     lane_3,store_graz,store_linz,2,5,400,delays often; short when delayed
#
# A lane connects two places. All times are in the same unit, which the tables do not name.


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
    delays: _Chances = field(default_factory=lambda: _ON_TIME)
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
            delays=delays or _ON_TIME,
        )
        lanes.append(lane)
    return LaneTable(lanes, unknown_hints)


def _delay_hint(row: Mapping[str, str]) -> str:
    """Return the cell of the first column that is about delays; empty if there is none."""
    for header, cell in row.items():
        if "delay" in header:
            return cell
    return ""


# Reads the packages of a dispatch wave from a table of its document.
#
#     package_id,from,to,due,margin_cents
#     pkg_1,store_graz,store_linz,12,900
#
# A package goes from one place to another, until it is due. All times are in the same unit, which
# the tables do not name.


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


# Reads from a shop's page how likely delays are, and what lateness costs.
#
# The plan of a dispatch wave depends on them. A table of the page gives the rates of words, which
# the tables of lanes use as hints (`delays often; short when delayed`):
#
#     | often | 20 % of trips |
#     | late | EUR 6.50 per time unit |

_TABLE_ROW: Final = re2.compile(r"\s*\|([^|]*)\|([^|]*)\|\s*")
"""A row of two cells in a Markdown table."""
_SHARE: Final = re2.compile(r"(\d{1,3}(?:\.\d{1,9})?) ?% of trips")
"""`20 % of trips`"""
_LENGTH: Final = re2.compile(r"(\d{1,3}) to (\d{1,3}) time units")
"""`1 to 3 time units`"""


def _read_rates(text: str) -> Rates:
    """Return the rates in the Markdown tables of a page.

    A table of lanes has hints on delays, such as `delays often; short when delayed`. The
    page says what their words mean. The word `late` stands for the price of lateness:

    | often | 20 % of trips |
    | short | 1 to 3 time units |
    | late | EUR 6.50 per time unit |
    """
    shares: dict[str, float] = {}
    lengths: dict[str, DelayLength] = {}
    late_cents = None
    for line in text.splitlines():
        row = _TABLE_ROW.fullmatch(line)
        if row is None:
            continue
        word = normal_words(row[1].strip().strip("`"))
        rate = row[2].strip().strip("`")
        share = _SHARE.fullmatch(rate)
        length = _LENGTH.fullmatch(rate)
        if share:
            shares[word] = min(float(share[1]), 100) / 100
        elif length and int(length[1]) <= int(length[2]):
            lengths[word] = DelayLength(int(length[1]), int(length[2]))
        elif word == "late" and rate.endswith("per time unit"):
            # A price of 0 counts as unknown.
            late_cents = money_in_text(rate) or None
    return Rates(shares, lengths, late_cents)


# The routes on which a package can go: lanes from its origin to its destination, in order.
#
# From Graz to Linz, a package may take the lane that connects both, or two lanes by way of Wels.
# Each route of a package is a choice, with its costs and its delays, from which a plan takes one.

Route: TypeAlias = tuple[Lane, ...]
"""The lanes that a package takes, in order."""
_MAX_LANES: Final = 4
"""The most lanes in one route. Good routes between two places of a wave have fewer."""


def routes(
    package: Package, lanes_from: Mapping[str, Sequence[Lane]], begun: Route = ()
) -> Iterator[Route]:
    """Yield every route of at most `_MAX_LANES` lanes that visits no place twice.

    From Graz to Linz: `(graz_linz,)`, `(graz_wels, wels_linz)`. `lanes_from` has the lanes that
    begin at each place (`lanes_by_origin`), and `begun` the first lanes of all routes.
    """
    place = begun[-1].destination if begun else package.origin
    visited = {package.origin}.union(lane.destination for lane in begun)
    for lane in lanes_from.get(place, ()):
        route = (*begun, lane)
        if lane.destination == package.destination:
            yield route
        elif lane.destination not in visited and len(route) < _MAX_LANES:
            yield from routes(package, lanes_from, route)


def lanes_by_origin(lanes: Iterable[Lane]) -> dict[str, list[Lane]]:
    """Return the lanes that begin at each place, in their order."""
    lanes_from: dict[str, list[Lane]] = {}
    for lane in lanes:
        lanes_from.setdefault(lane.origin, []).append(lane)
    return lanes_from


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """One possible route of a package."""

    package: Package
    route: Route
    chances: _Chances
    """The probabilities of the delay of the whole route."""

    @property
    def slack(self) -> int:
        """The time to spare if no lane is delayed or full: from arrival to the due time."""
        return self.package.due - sum(lane.eta for lane in self.route)

    @property
    def cents_alone(self) -> float:
        """The expected cost of trips and lateness if the package shares no trip."""
        trips = sum(lane.cost_cents for lane in self.route)
        return trips + self.package.late_cents_per_unit * self.expected_lateness(
            self.slack
        )

    def expected_lateness(self, time_to_spare: int) -> float:
        """Return the units of time by which the package is late in the mean.

        A delay of 3 units in one of ten cases, with one unit to spare -> 0.2. `time_to_spare` is
        the time between arrival without delays and the due time, negative if that is over.
        """
        lateness = 0.0
        for delay, chance in self.chances.items():
            if delay > time_to_spare:
                lateness += chance * (delay - time_to_spare)
        return lateness


def route_choices(
    package: Package, lanes_from: Mapping[str, Sequence[Lane]]
) -> list[RouteChoice]:
    """Return all routes of a package, the cheapest for a package alone first."""
    choices = []
    for route in routes(package, lanes_from):
        chances = summed(lane.delays for lane in route)
        choices.append(RouteChoice(package, route, chances))
    return sorted(choices, key=lambda choice: choice.cents_alone)


# Says when each package arrives if a plan is carried out, and what the plan costs.
#
# Two packages wait for a lane that takes 5 units of time and carries one package a trip. The one with
# less time to spare goes at once and arrives at 5, the other one goes a unit later and arrives at 6.
# So the route of one package can delay others.

Plan: TypeAlias = Mapping[str, RouteChoice]
"""The chosen route of each package, by the package's id."""


def by_priority(plan: Plan) -> list[str]:
    """Return the ids of the packages, those with the least time to spare (`slack`) first.

    This is their rank: in this order they leave the queue of a full lane.
    """
    return sorted(plan, key=lambda package_id: plan[package_id].slack)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a plan comes to: the arrivals, and the cost of all trips."""

    arrivals: Mapping[str, int]
    """The time of arrival of each package, which includes the time in queues at full lanes."""
    trip_cents: int

    def expected_late_cents(self, plan: Plan) -> float:
        """Return the expected cost of lateness of a plan.

        A package is late if the delay of its route is longer than the time that the
        simulation leaves it until it is due.
        """
        cents = 0.0
        for package_id, choice in plan.items():
            # The choice knows the probabilities of the delays on its route.
            time_to_spare = choice.package.due - self.arrivals[package_id]
            lateness = choice.expected_lateness(time_to_spare)
            cents += choice.package.late_cents_per_unit * lateness
        return cents


class _Position(NamedTuple):
    """A package on its way. Positions sort by rank, their first field."""

    rank: int
    """The package's place in the order of `by_priority`. At a lane, the lowest rank goes first."""
    package_id: str
    next_lane: int
    """The index of the package's next lane in its route; at its end, the route's length."""


@dataclass(slots=True)
class _Queue:
    """The packages that wait for a lane."""

    lane: Lane
    packages: list[_Position] = field(default_factory=list)


def simulated_plan(plan: Plan) -> Simulation:
    """Simulate the trips of all packages of a plan, without delays."""
    routes = {package_id: choice.route for package_id, choice in plan.items()}
    return simulated(routes, by_priority(plan))


def simulated(
    routes: Mapping[str, Sequence[Lane]],
    order: Iterable[str],
    delay_at: Callable[[Lane, int], int] | None = None,
) -> Simulation:
    """Simulate the trips of all packages on their routes, by the packages' ids.

    A lane makes a trip in each unit of time in which packages wait for it. If two packages take a
    lane that carries one and takes 5 units -> `arrivals` 5 and 6, and the cost of two trips.
    At a full lane, the first package in `order` goes first. `delay_at` returns the delay of a
    lane's trip that begins at a time; None if there are no delays.
    """
    start = []
    for rank, package_id in enumerate(order):
        start.append(_Position(rank, package_id, next_lane=0))
    # The packages that arrive at the end of a lane, by time. At time 0, all are at their origins.
    arriving_at: dict[int, list[_Position]] = {0: start}
    # The packages that wait for a lane, by its id.
    queues: dict[str, _Queue] = {}
    # The times at which packages arrive at their destinations.
    arrivals: dict[str, int] = {}
    trip_cents = 0
    time = 0
    while arriving_at or queues:
        # 1. Packages at a place queue for their next lane.
        for package in arriving_at.pop(time, ()):
            route = routes[package.package_id]
            if package.next_lane == len(route):
                arrivals[package.package_id] = time
            else:
                lane = route[package.next_lane]
                queues.setdefault(lane.id, _Queue(lane)).packages.append(package)

        # 2. Each lane with a queue makes a trip, which takes at least one unit.
        for lane_id, queue in list(queues.items()):
            lane = queue.lane
            trip_cents += lane.cost_cents
            queue.packages.sort()  # by rank
            passengers = queue.packages[: lane.capacity]
            duration = max(lane.eta, 1)
            if delay_at is not None:
                duration += delay_at(lane, time)
            arriving = arriving_at.setdefault(time + duration, [])
            for passenger in passengers:
                arriving.append(passenger._replace(next_lane=passenger.next_lane + 1))
            queue.packages = queue.packages[lane.capacity :]
            if not queue.packages:
                del queues[lane_id]

        # 3. If packages still wait, the next trips leave one unit of time later. Otherwise nothing
        #    happens until the next arrival.
        if queues:
            time += 1
        else:
            time = min(arriving_at, default=time)
    return Simulation(arrivals, trip_cents)


# Finds the tables and the rates of a dispatch wave, which is a set of packages sent together.
#
# The wave's document names them: "The packages are in /ops/wave-3/packages.csv, the lanes in
# /ops/wave-3/lanes.csv, and /docs/rates.md has the price of lateness." A lane is a connection of
# two places. A plan by other tables would be wrong, so it must be certain which ones are meant.

_WAVE_DOCUMENT: Final = re.compile(r"(?<![\w/])/ops/dispatch/[\w./-]*?[\w-]+\.md\b")
"""`/ops/dispatch/wave-3.md`"""


def wave_path(text: str) -> str:
    """Return the first document below the dispatch folder that a text names, or an empty text."""
    match = _WAVE_DOCUMENT.search(text)
    return match[0] if match else ""


_TABLE_PATH: Final = re.compile(
    r"(?<![\w/])/[\w./ -]*?[\w-]+\.(?:tsv|csv)\b", re.IGNORECASE
)
"""`/ops/dispatch/wave 3/lanes.tsv`"""


class _TableFile(NamedTuple):
    """A file with a table."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class _WaveTables:
    """The two tables of a dispatch wave."""

    packages: _TableFile
    lanes: _TableFile


def tables_of_wave(layout: ShopLayout, path: str, document: str) -> _WaveTables:
    """Return the tables of packages and lanes that a wave's document names.

    `path` is the document's path, and `document` its text. Of the two tables, the one with a
    column on capacity has the lanes. Raises `CannotRead` if there are more tables, or fewer.
    """
    table_paths = list(dict.fromkeys(_TABLE_PATH.findall(document)))
    texts = layout.reader.read_all(table_paths)
    lanes = []
    packages = []
    for table_path, text in zip(table_paths, texts, strict=True):
        table = _TableFile(table_path, text)
        rows = table_rows(text)
        # A column of the lanes is about capacity: `lane_id,from,to,capacity`.
        if rows and any("capacity" in header for header in rows[0]):
            lanes.append(table)
        else:
            packages.append(table)
    named = ", ".join(table_paths)
    require(
        len(lanes) == 1 and len(packages) == 1,
        f"{path} names no single table of lanes (with a capacity) and one of packages, but {named}",
    )
    return _WaveTables(packages[0], lanes[0])


def rates_on_pages(layout: ShopLayout, document: str) -> Rates:
    """Return the rates on the first page with rates that a document names: `/docs/rates.md`.

    The result has no rates (`Rates()`) if no page has any. It has none either if one of the
    pages does not exist, because that page might be the first with rates.
    """
    pages = [page for page in named_paths(document) if is_document(page)]
    try:
        texts: Sequence[str] = layout.reader.read_all(pages)
    except LookupError:
        return Rates()
    for text in texts:
        rates = _read_rates(text)
        if rates != Rates():
            return rates
    return Rates()
