"""Conditions on units are read only where they are certain, and stock is counted as a branch's record gives it."""

from __future__ import annotations

import pytest

from benchmarks.shop.computed.stock import Bound, bounds_in, count_fitting, stock_of, units_and_days
from gates.reading import DoesNotApply
from toolkit.stock import StockUnits

ASKED = "How many of these SKUs have {} at the shop: VH-TNT-SKERRY-2P, VH-MAT-DUNE-R3? Answer with 4 or more digits."
LEAST_3 = Bound("available", 3, is_least=True)


@pytest.mark.parametrize(
    ("condition", "bounds"),
    [
        ("at least 3 units available today", [LEAST_3]),
        ("3 or more units available", [LEAST_3]),
        ("no fewer than 3 units available", [LEAST_3]),
        ("not a single unit available", [Bound("available", 1, is_least=False)]),
        ("at least 3 units physically on hand", [Bound("on hand", 3, is_least=True)]),
        (
            "at least 3 units on hand and yet fewer than 2 available today",
            [Bound("on hand", 3, is_least=True), Bound("available", 2, is_least=False)],
        ),
        (
            "fewer than 2 units available but reach 4 once incoming stock due within 6 days is counted",
            [Bound("available", 2, is_least=False), Bound("within", 4, is_least=True, days=6)],
        ),
    ],
)
def test_conditions_are_read_in_their_order(condition: str, bounds: list[Bound]) -> None:
    assert bounds_in(ASKED.format(condition)) == bounds


@pytest.mark.parametrize(
    "condition",
    [
        "units available",
        "at least 0 units available",
        "at least 3 units in the shelf",
        "at least 3 units available once incoming stock is counted",
        "at least 3 units available or reserved",
        "at least 3 units available without the reserved ones",
        "at least 3 units available, except in the window",
        "at least 3 units",
    ],
)
def test_a_condition_in_other_words_is_not_certain(condition: str) -> None:
    with pytest.raises(DoesNotApply):
        bounds_in(ASKED.format(condition))


ROWS = [
    {"sku": "A", "on_hand": 5, "reserved": 2},
    {"sku": "B", "on_hand": 2, "reserved": 0, "incoming": [{"quantity": 9, "arrives_in_days": 4}]},
    {"sku": "C", "on_hand": 1, "reserved": 4},
]


@pytest.mark.parametrize(
    ("skus", "bound", "count"),
    [
        ("A", LEAST_3, 1),
        ("A", Bound("available", 4, is_least=True), 0),
        ("A", Bound("on hand", 4, is_least=True), 1),
        ("ABC", Bound("available", 1, is_least=True), 2),
        ("ABCX", Bound("available", 1, is_least=False), 2),
        ("B", Bound("within", 11, is_least=True, days=4), 1),
        ("B", Bound("within", 3, is_least=True, days=3), 0),
        ("AA", LEAST_3, 1),
        ("", LEAST_3, 0),
    ],
)
def test_skus_that_fulfil_a_condition_are_counted(skus: str, bound: Bound, count: int) -> None:
    assert count_fitting(stock_of({"inventory": ROWS}), skus, [bound]) == count


def test_every_condition_must_hold() -> None:
    bounds = [Bound("on hand", 2, is_least=True), Bound("available", 3, is_least=False)]
    assert count_fitting(stock_of({"inventory": ROWS}), "ABC", bounds) == 1


def test_less_than_nothing_is_never_available() -> None:
    assert StockUnits(1, 4).available == 0
    assert StockUnits(1, 4, ((2, 1), (3, 9))).within(1) == 2


@pytest.mark.parametrize(
    "row",
    [
        {"sku": "D", "on_hand": 9, "reserved": 0, "quarantined": 9},
        {"sku": "A", "on_hand": 9, "reserved": 0},
        {"sku": "D", "on_hand": 9},
    ],
)
def test_a_row_of_another_form_makes_the_stock_uncertain(row: dict[str, object]) -> None:
    with pytest.raises((LookupError, ValueError)):
        stock_of({"inventory": [*ROWS, row]})


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Do you have 5 of the tent?", (5, 0)),
        ("Do you have 5 of the tent within 2 days?", (5, 2)),
        ("Do you have 5 of the tent within 2 days or 3 days?", None),
        ("Do you have 5 of the tent and 6 of the mat?", None),
        ("Do you have tents for 5 people?", None),
        ("Do you have fewer than 5 of the tent?", None),
        ("Do you have 5 of the tent once the delivery arrives?", None),
        ("Do you have 5 of the tent with what arrives within 2 days?", (5, 2)),
    ],
)
def test_units_and_days_are_read_only_where_there_is_one_figure_of_each(
    asked: str, found: tuple[int, int] | None
) -> None:
    assert units_and_days(asked) == found
