"""Plans of dispatch waves."""

import pytest

from benchmarks.shop.dispatch import Rates, given_rates, plan_for_profit, read_lanes, read_packages
from sandbox.functions import CannotRead

RATES = Rates({"unlikely": 0.05, "likely": 0.405}, {"short": (1, 2), "long": (5, 7)}, 650)
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
        read(table, RATES if read is read_lanes else RATES.late_cents)


def test_a_caller_gives_rates_in_the_words_of_the_hints():
    given = given_rates(650, {"unlikely": 5, "likely": 40.5, "short": [1, 2], "long": [5, 7]})
    assert given == RATES
    assert given_rates(0, {}) == Rates()
    for delays in ("often", {"often": "20"}, {"often": 120}, {"short": [1]}, {"short": ["a", "b"]}):
        with pytest.raises(CannotRead, match="neither trips in 100 nor"):
            given_rates(0, delays)


def routes_of(packages: str, lanes: str, rates: Rates = RATES) -> dict[str, list[str]]:
    ways, _ = read_lanes(LANE_TABLE + lanes, rates)
    plan = plan_for_profit(read_packages(PACKAGE_TABLE + packages, rates.late_cents), ways)
    return {name: [lane.id for lane in route] for name, route in plan.routes.items()}


def test_packages_share_a_trip_though_each_alone_would_go_another_way():
    lanes = "a1\ts\td\t1\t2\t300\t\nb1\ts\th\t9\t1\t200\t\nb2\th\td\t9\t1\t200\t\n"
    assert routes_of("p1\ts\td\t9\t900\n", lanes) == {"p1": ["a1"]}
    packages = "p1\ts\td\t9\t900\np2\ts\td\t9\t900\n"
    assert routes_of(packages, lanes) == {"p1": ["b1", "b2"], "p2": ["b1", "b2"]}


def test_a_lane_that_is_often_late_is_avoided_if_that_costs_less():
    lanes = "slow\ts\td\t1\t4\t100\tdelays likely; long when delayed\nsure\ts\td\t1\t4\t200\tdelays unlikely; short\n"
    assert routes_of("p1\ts\td\t4\t900\n", lanes) == {"p1": ["sure"]}
    assert routes_of("p1\ts\td\t40\t900\n", lanes) == {"p1": ["slow"]}
    assert routes_of("p1\ts\td\t4\t900\n", lanes, Rates()) == {"p1": ["slow"]}
    assert read_lanes(LANE_TABLE + lanes, Rates())[1] == ["delays likely; long when delayed", "delays unlikely; short"]
