"""Plans of dispatch waves."""

from collections import Counter
from itertools import permutations, product
from random import Random

import pytest

from toolkit import CannotRead
from toolkit.dispatch import (
    Lane,
    Package,
    plan_for_profit,
    plan_wave,
    read_lanes,
    read_packages,
    routes,
)

PACKAGE_TABLE = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
LANE_TABLE = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


@pytest.mark.parametrize(
    ("read", "table", "said"),
    [
        (read_packages, "package_id\tdue_time\n", "no rows"),
        (read_packages, PACKAGE_TABLE + "p1\ts\td\tsoon\t1\n", "no whole number"),
        (read_lanes, LANE_TABLE.replace("capacity", "size") + "a\ts\td\t1\t1\t5\t\n", "no single column for capacity"),
        (read_lanes, LANE_TABLE + "a\ts\n", "other columns"),
    ],
)
def test_a_table_of_another_shape_is_refused(read, table, said):
    with pytest.raises(CannotRead, match=said):
        read(table)


def routes_of(packages: str, lanes: str) -> dict[str, list[str]]:
    plan = plan_for_profit(read_packages(PACKAGE_TABLE + packages), read_lanes(LANE_TABLE + lanes))
    return {assignment.package.id: [lane.id for lane in assignment.route] for assignment in plan.assignments}


def test_packages_share_a_trip_though_each_alone_would_go_another_way():
    lanes = "a1\ts\td\t1\t2\t300\t\nb1\ts\th\t9\t1\t200\t\nb2\th\td\t9\t1\t200\t\n"
    assert routes_of("p1\ts\td\t9\t900\n", lanes) == {"p1": ["a1"]}
    packages = "p1\ts\td\t9\t900\np2\ts\td\t9\t900\n"
    assert routes_of(packages, lanes) == {"p1": ["b1", "b2"], "p2": ["b1", "b2"]}


def test_a_lane_that_is_often_late_is_avoided_if_that_costs_less():
    lanes = "slow\ts\td\t1\t4\t100\tdelays likely; long when delayed\nsure\ts\td\t1\t4\t200\tdelays unlikely; short\n"
    assert routes_of("p1\ts\td\t4\t900\n", lanes) == {"p1": ["sure"]}
    assert routes_of("p1\ts\td\t40\t900\n", lanes) == {"p1": ["slow"]}


def test_a_timely_plan_is_as_good_as_the_best_of_all_combinations():
    chance = Random(7)
    for _ in range(20):
        pairs = [pair for pair in permutations("abcd", 2) if chance.random() < 0.6]
        lanes = [Lane(f"{a}{b}", a, b, 1, chance.randint(1, 4), chance.randint(1, 9)) for a, b in pairs]
        parcels = [Package(f"p{at}", *chance.sample("abcd", 2), chance.randint(2, 7), 1) for at in range(4)]
        ranked = sorted(parcels, key=lambda parcel: (parcel.due, parcel.id))
        ways = [found for parcel in ranked if (found := [(parcel, way) for way in routes(parcel, lanes)])]
        plan = plan_wave(parcels, lanes)
        if not ways or max(map(len, ways)) > 4:
            continue  # of a package's routes four are tried
        assert plan.cost == min(map(played, product(*ways)))


def played(ways):
    """Return late packages, lateness, cents and travel of routes in the order of loading, one package a trip."""
    before, late = Counter(), []
    for parcel, route in ways:
        late.append(max(sum(lane.eta * (1 + before[lane.id]) for lane in route) - parcel.due, 0))
        before.update(lane.id for lane in route)
    lanes = [lane for _, route in ways for lane in route]
    cents, time = sum(lane.cost_cents for lane in lanes), sum(lane.eta for lane in lanes)
    return sum(map(bool, late)), sum(late), cents, time
