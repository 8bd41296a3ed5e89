"""Plans a dispatch wave: chooses the route of each package so that trips and lateness cost least.

A package has an origin, a destination and a due time. A lane connects two places. Each of its
trips costs money and carries a limited number of packages; those that do not fit wait for
the next trip. Trips may be delayed, and only the probabilities of delays are known. So a
plan is judged by its expected cost. All times are in the same unit, which the wave's tables
do not name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import re2

from controlplane.benchmarks.shop.texts.amounts import money_in_text
from controlplane.benchmarks.shop.texts.table_texts import columns_called, table_rows
from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.sandbox.functions import CannotRead

# Delays -----------------------------------------------------------------------------------------

Chances: TypeAlias = Mapping[int, float]
"""The probability of each delay, by the delay in units of time."""
ON_TIME: Final[Chances] = {0: 1.0}
"""The probabilities of delays if there is never one."""
MAX_DELAY: Final = 999
"""The longest delay in units of time. It limits the work if a caller gives larger delays."""


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

    def chances(self, hint: str) -> Chances | None:
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


_TABLE_ROW: Final = re2.compile(r"\s*\|([^|]*)\|([^|]*)\|\s*")
"""A row of two cells in a Markdown table."""
_SHARE: Final = re2.compile(r"(\d{1,3}(?:\.\d{1,9})?) ?% of trips")
"""`20 % of trips`"""
_LENGTH: Final = re2.compile(r"(\d{1,3}) to (\d{1,3}) time units")
"""`1 to 3 time units`"""


def read_rates(text: str) -> Rates:
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


def rates_in_call(late_cents: int, delays: object) -> Rates:
    """Return the rates in a script's call: `late_cents=650, delays={'often': 20, 'short': [1, 2]}`.

    In `delays`, a word of a hint has either the percentage of delayed trips or the shortest
    and the longest delay. If `late_cents` is 0, which is the default in a call, the price of
    lateness is not known. Raises `CannotRead` for other values.
    """
    if not isinstance(delays, Mapping):
        raise CannotRead(_unreadable_delay("delays"))
    shares: dict[str, float] = {}
    lengths: dict[str, DelayLength] = {}
    for word, rate in delays.items():
        name = normal_words(str(word))
        if isinstance(rate, int | float) and 0 <= rate <= 100:
            shares[name] = rate / 100
        elif _is_pair_of_integers(rate):
            # Numbers that are swapped or too large are not refused: a model writes the call, and
            # it is clear what it means.
            shortest = max(min(rate), 0)
            longest = min(max(rate), MAX_DELAY)
            lengths[name] = DelayLength(shortest, longest)
        else:
            raise CannotRead(_unreadable_delay(word))
    known_late_cents = late_cents if late_cents != 0 else None
    return Rates(shares, lengths, known_late_cents)


def _is_pair_of_integers(rate: object) -> bool:
    """Return True for `[1, 2]`."""
    if not isinstance(rate, Sequence) or len(rate) != 2:
        return False
    return all(isinstance(bound, int) for bound in rate)


def _unreadable_delay(word: object) -> str:
    """Return the message about a word whose rate cannot be read."""
    example = "{'often': 20, 'short': [1, 2]}"
    return f"{word!r} is neither trips in 100 nor [shortest, longest], as in {example}"


def summed(chances: Iterable[Chances]) -> Chances:
    """Return the probabilities of the sum of independent delays.

    Two delays of 0 or 1, each with `{0: 0.5, 1: 0.5}` -> `{0: 0.25, 1: 0.5, 2: 0.25}`
    """
    total = ON_TIME
    for next_chances in chances:
        sums: dict[int, float] = {}
        for sum_so_far, sum_chance in total.items():
            for delay, chance in next_chances.items():
                new_sum = sum_so_far + delay
                sums[new_sum] = sums.get(new_sum, 0.0) + sum_chance * chance
        total = sums
    return total


# Packages and lanes -----------------------------------------------------------------------------


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


# Routes -----------------------------------------------------------------------------------------

Route: TypeAlias = tuple[Lane, ...]
"""The lanes that a package takes, in order."""
MAX_LANES: Final = 4
"""The most lanes in one route. Good routes between two places of a wave have fewer."""
MAX_ROUTES: Final = 6
"""The number of routes that are tried for each package, the cheapest first."""


def routes(package: Package, lanes: Sequence[Lane]) -> Iterator[Route]:
    """Yield every route of at most `MAX_LANES` lanes that visits no place twice.

    Routes with fewer lanes come first.
    """
    lanes_from: dict[str, list[Lane]] = {}
    for lane in lanes:
        lanes_from.setdefault(lane.origin, []).append(lane)
    # Each round adds one lane to all routes that have not reached the destination.
    partial_routes: list[Route] = [()]
    for _ in range(MAX_LANES):
        longer_routes: list[Route] = []
        for route in partial_routes:
            visited = {package.origin}.union(lane.destination for lane in route)
            place = route[-1].destination if route else package.origin
            for lane in lanes_from.get(place, ()):
                if lane.destination == package.destination:
                    yield (*route, lane)
                elif lane.destination not in visited:
                    longer_routes.append((*route, lane))
        partial_routes = longer_routes


@dataclass(frozen=True, slots=True)
class _RouteChoice:
    """One possible route of a package."""

    package: Package
    route: Route
    chances: Chances
    """The probabilities of the delay of the whole route."""

    @property
    def slack(self) -> int:
        """The time to spare if no lane is delayed or full: from arrival to the due time."""
        return self.package.due - sum(lane.eta for lane in self.route)

    @property
    def cents_alone(self) -> float:
        """The expected cost of trips and lateness if the package shares no trip."""
        trips = sum(lane.cost_cents for lane in self.route)
        return trips + self.expected_late_cents(self.slack)

    def expected_late_cents(self, time_to_spare: int) -> float:
        """Return the expected cost of lateness.

        `time_to_spare` is the time between arrival without delays and the due time. It
        is negative if the package is late anyway.
        """
        expected_lateness = 0.0
        for delay, chance in self.chances.items():
            if delay > time_to_spare:
                expected_lateness += chance * (delay - time_to_spare)
        return self.package.late_cents_per_unit * expected_lateness


def _route_choices(package: Package, lanes: Sequence[Lane]) -> list[_RouteChoice]:
    """Return the cheapest routes of a package, cheapest first."""
    choices = []
    for route in routes(package, lanes):
        chances = summed(lane.delays for lane in route)
        choices.append(_RouteChoice(package, route, chances))
    choices.sort(
        key=lambda choice: (choice.cents_alone, [lane.id for lane in choice.route])
    )
    return choices[:MAX_ROUTES]


# Plans ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProfitPlan:
    """A route for each package that has one, with what these packages earn and cost."""

    routes: Mapping[str, Route]
    """The route of each package, in the order in which packages go if a lane is full."""
    margin_cents: int
    """The sum of the margins of these packages."""
    trip_cents: int
    """The cost of all trips."""
    late_cents: float
    """The expected cost of lateness."""


_Plan: TypeAlias = Mapping[str, _RouteChoice]
"""The chosen route of each package, by the package's id."""
MAX_PLANS: Final = 6_000
"""The number of plans that the search simulates, which takes a few seconds."""


def plan_for_profit(
    packages: Sequence[Package], lanes: Sequence[Lane]
) -> ProfitPlan | None:
    """Return the most profitable plan that a local search finds; None if no package has a route.

    Every package that has a route is sent, so the margins are the same in all plans, and
    the cheapest plan is the most profitable one. At a full lane, the package with less
    time to spare goes first.
    """
    choices_by_package = {}
    for package in packages:
        choices = _route_choices(package, lanes)
        if choices:
            choices_by_package[package.id] = choices
    if not choices_by_package:
        return None
    plan = _best_plan(choices_by_package)
    simulation = _simulated(plan)
    return ProfitPlan(
        routes={
            package_id: plan[package_id].route for package_id in _by_priority(plan)
        },
        margin_cents=sum(choice.package.margin_cents for choice in plan.values()),
        trip_cents=simulation.trip_cents,
        late_cents=simulation.expected_late_cents(plan),
    )


def _best_plan(choices_by_package: Mapping[str, Sequence[_RouteChoice]]) -> _Plan:
    """Return the cheapest plan found by changing the routes of one or two packages at a time.

    The search starts with the cheapest route of each package alone. Changing two routes at
    once finds plans in which two packages share a trip that is too expensive for one
    package. There are many pairs, so they are tried only if no single change helps.
    """
    cheapest_routes = {
        package_id: choices[0] for package_id, choices in choices_by_package.items()
    }
    search = _PlanSearch(cheapest_routes)
    single_changes = _single_changes(choices_by_package)
    pair_changes = _pair_changes(choices_by_package)
    has_improved = True
    while has_improved:
        has_improved = False
        for change in single_changes:
            if search.try_change(change):
                has_improved = True
        if has_improved:
            continue
        for change in pair_changes:
            if search.try_change(change):
                has_improved = True
                break
    return search.best


class _PlanSearch:
    """The cheapest plan so far, and how many more plans may be tried."""

    def __init__(self, plan: _Plan) -> None:
        self.best = plan
        self._best_cents = _expected_cents(plan)
        self._remaining_tries = MAX_PLANS

    def try_change(self, change: _Plan) -> bool:
        """Try other routes for some packages. Keep them and return True if the plan gets cheaper.

        After `MAX_PLANS` tries, nothing is tried any more, and the result is False.
        """
        if self._remaining_tries == 0:
            return False
        self._remaining_tries -= 1
        changed = {**self.best, **change}
        changed_cents = _expected_cents(changed)
        if changed_cents >= self._best_cents:
            return False
        self.best = changed
        self._best_cents = changed_cents
        return True


def _single_changes(
    choices_by_package: Mapping[str, Sequence[_RouteChoice]],
) -> list[_Plan]:
    """Return every change of one package's route."""
    changes: list[_Plan] = []
    for package_id, choices in choices_by_package.items():
        for choice in choices:
            changes.append({package_id: choice})
    return changes


def _pair_changes(
    choices_by_package: Mapping[str, Sequence[_RouteChoice]],
) -> list[_Plan]:
    """Return every change of two packages' routes to routes that share a lane."""
    changes: list[_Plan] = []
    for first_id, second_id in combinations(choices_by_package, 2):
        for first in choices_by_package[first_id]:
            first_lanes = {lane.id for lane in first.route}
            for second in choices_by_package[second_id]:
                if any(lane.id in first_lanes for lane in second.route):
                    changes.append({first_id: first, second_id: second})
    return changes


def _expected_cents(plan: _Plan) -> float:
    """Return the expected cost of a plan's trips and lateness."""
    simulation = _simulated(plan)
    return simulation.trip_cents + simulation.expected_late_cents(plan)


def _by_priority(plan: _Plan) -> list[str]:
    """Return the ids of the packages, those with the least time to spare (`slack`) first.

    This is their rank: in this order they leave the queue of a full lane.
    """
    return sorted(plan, key=lambda package_id: plan[package_id].slack)


@dataclass(frozen=True, slots=True)
class _Simulation:
    """What a plan comes to if no trip is delayed: the arrivals, and the cost of all trips."""

    arrivals: Mapping[str, int]
    """The time of arrival of each package, which includes the time in queues at full lanes."""
    trip_cents: int

    def expected_late_cents(self, plan: _Plan) -> float:
        """Return the expected cost of lateness of a plan.

        A package is late if the delay of its route is longer than the time that the
        simulation leaves it until it is due.
        """
        cents = 0.0
        for package_id, choice in plan.items():
            # The choice knows the probabilities of the delays on its route.
            time_to_spare = choice.package.due - self.arrivals[package_id]
            cents += choice.expected_late_cents(time_to_spare)
        return cents


class _Position(NamedTuple):
    """A package on its way. Positions sort by rank, their first field."""

    rank: int
    """The package's place in the order of `_by_priority`. At a lane, the lowest rank goes first."""
    package_id: str
    next_lane: int
    """The index of the package's next lane in its route; at its end, the route's length."""


@dataclass(slots=True)
class _Queue:
    """The packages that wait for a lane."""

    lane: Lane
    packages: list[_Position] = field(default_factory=list)


def _simulated(plan: _Plan) -> _Simulation:
    """Simulate the trips of all packages. A trip leaves as soon as a package waits for the lane."""
    start = []
    for rank, package_id in enumerate(_by_priority(plan)):
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
            route = plan[package.package_id].route
            if package.next_lane == len(route):
                arrivals[package.package_id] = time
            else:
                lane = route[package.next_lane]
                queues.setdefault(lane.id, _Queue(lane)).packages.append(package)

        # 2. Each lane with a queue makes a trip. It ends later than now, because `eta` is at least 1.
        for lane_id, queue in list(queues.items()):
            lane = queue.lane
            trip_cents += lane.cost_cents
            queue.packages.sort()  # by rank
            passengers = queue.packages[: lane.capacity]
            arriving = arriving_at.setdefault(time + lane.eta, [])
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
    return _Simulation(arrivals, trip_cents)


# Requests ---------------------------------------------------------------------------------------

_WAVE_DOCUMENT: Final = re.compile(r"(?<![\w/])/ops/dispatch/[\w./-]*?[\w-]+\.md\b")


def wave_path(text: str) -> str:
    """Return the first document below the dispatch folder that a text names, or an empty text."""
    match = _WAVE_DOCUMENT.search(text)
    return match[0] if match else ""
