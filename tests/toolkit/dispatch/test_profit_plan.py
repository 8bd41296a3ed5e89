from toolkit.dispatch import plan_for_profit, read_lanes, read_packages

PACKAGES = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
LANES = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


def routes_of(packages: str, lanes: str) -> dict[str, list[str]]:
    plan = plan_for_profit(read_packages(PACKAGES + packages), read_lanes(LANES + lanes))
    return {each.package.id: [lane.id for lane in each.route] for each in plan.assignments}


def test_packages_share_a_trip_though_each_alone_would_go_another_way():
    lanes = "a1\ts\td\t1\t2\t300\t\nb1\ts\th\t9\t1\t200\t\nb2\th\td\t9\t1\t200\t\n"
    assert routes_of("p1\ts\td\t9\t900\n", lanes) == {"p1": ["a1"]}
    packages = "p1\ts\td\t9\t900\np2\ts\td\t9\t900\n"
    assert routes_of(packages, lanes) == {"p1": ["b1", "b2"], "p2": ["b1", "b2"]}


def test_a_lane_that_is_often_late_is_avoided_if_that_costs_less():
    lanes = "slow\ts\td\t1\t4\t100\tdelays likely; long when delayed\nsure\ts\td\t1\t4\t200\tdelays unlikely; short\n"
    assert routes_of("p1\ts\td\t4\t900\n", lanes) == {"p1": ["sure"]}
    assert routes_of("p1\ts\td\t40\t900\n", lanes) == {"p1": ["slow"]}


def test_the_package_with_less_time_to_spare_loads_first():
    plan = plan_for_profit(
        read_packages(PACKAGES + "late\ts\td\t9\t1\nsoon\ts\td\t3\t1\n"), read_lanes(LANES + "a\ts\td\t1\t2\t5\t\n")
    )
    assert [(each.package.id, each.priority, each.arrival) for each in plan.assignments] == [
        ("soon", 1, 2),
        ("late", 2, 3),
    ]


def test_what_no_lane_reaches_is_left_out():
    lanes = "a\ts\td\t1\t1\t5\t\n"
    assert routes_of("p1\ts\td\t9\t1\np2\ts\tx\t9\t1\n", lanes) == {"p1": ["a"]}
    assert plan_for_profit(read_packages(PACKAGES + "p2\ts\tx\t9\t1\n"), read_lanes(LANES + lanes)) is None
