from toolkit.dispatch import Lane, Package
from toolkit.dispatch.wave import cost_cents, routes, travel

LANES = [
    Lane("ab", "a", "b", 1, 2, 100),
    Lane("bc", "b", "c", 1, 3, 150),
    Lane("ba", "b", "a", 1, 1, 10),
    Lane("ac", "a", "c", 1, 9, 700),
]


def test_routes_visit_no_place_twice():
    found = [[lane.id for lane in route] for route in routes(Package("P", "a", "c", 9, 1), LANES)]
    assert found == [["ac"], ["ab", "bc"]]


def test_a_route_takes_and_costs_what_its_lanes_do():
    assert (travel(tuple(LANES[:2])), cost_cents(tuple(LANES[:2]))) == (5, 250)


def test_routes_are_no_longer_than_the_bound():
    assert len(list(routes(Package("P", "a", "c", 9, 1), LANES, most_lanes=1))) == 1
