"""The routes on which a package can go: lanes from its origin to its destination, in order.

From Graz to Linz, a package may take the lane that connects both, or two lanes by way of Wels.
Each route of a package is a choice, with its costs and its delays, from which a plan takes one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.benchmarks.shop.dispatch.delays import Chances, summed
from controlplane.benchmarks.shop.dispatch.lane_table import Lane
from controlplane.benchmarks.shop.dispatch.package_table import Package

Route: TypeAlias = tuple[Lane, ...]
"""The lanes that a package takes, in order."""
MAX_LANES: Final = 4
"""The most lanes in one route. Good routes between two places of a wave have fewer."""
MAX_ROUTES: Final = 6
"""The number of routes that are tried for each package, the cheapest first."""


def routes(package: Package, lanes: Sequence[Lane]) -> Iterator[Route]:
    """Yield every route of at most `MAX_LANES` lanes that visits no place twice, shorter ones first.

    From Graz to Linz: `(graz_linz,)`, `(graz_wels, wels_linz)`
    """
    lanes_from: dict[str, list[Lane]] = {}
    for lane in lanes:
        lanes_from.setdefault(lane.origin, []).append(lane)
    unfinished: deque[Route] = deque([()])
    while unfinished:
        route = unfinished.popleft()
        place = route[-1].destination if route else package.origin
        visited = {package.origin}.union(lane.destination for lane in route)
        for lane in lanes_from.get(place, ()):
            longer_route = (*route, lane)
            if lane.destination == package.destination:
                yield longer_route
            elif lane.destination not in visited and len(longer_route) < MAX_LANES:
                unfinished.append(longer_route)


@dataclass(frozen=True, slots=True)
class RouteChoice:
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


def route_choices(package: Package, lanes: Sequence[Lane]) -> list[RouteChoice]:
    """Return the cheapest routes of a package, cheapest first."""
    choices = []
    for route in routes(package, lanes):
        chances = summed(lane.delays for lane in route)
        choices.append(RouteChoice(package, route, chances))
    choices.sort(
        key=lambda choice: (choice.cents_alone, [lane.id for lane in choice.route])
    )
    return choices[:MAX_ROUTES]
