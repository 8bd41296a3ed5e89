"""Which of two counts of a branch's stock are the units on hand, and which the reserved units.

    {"stock": [{"sku": "S-1", "in_house": 4, "claimed": 1}, ...]}

Every shop names the fields differently. Only units on hand can be reserved, so the reserved units
are the smaller count of a row. A shop has mistakes, so they may be larger in one of six rows, but
not in one of five.
"""

from controlplane.benchmarks.shop.workspace.fields.stock_fields import stock_fields


def counts_in(rows: list[dict]) -> tuple[str, str] | None:
    """Return the fields for the units on hand and the reserved units; None if they are uncertain."""
    fields = stock_fields({"stock": rows}, marked=())
    if fields is None:
        return None
    return fields.on_hand, fields.reserved


FOUR_USUAL_ROWS = [
    {"sku": "S-1", "in_house": 4, "claimed": 1},
    {"sku": "S-2", "in_house": 7, "claimed": 0},
    {"sku": "S-3", "in_house": 12, "claimed": 2},
    {"sku": "S-4", "in_house": 1, "claimed": 0},
]


def test_the_larger_count_is_on_hand() -> None:
    one_row = [{"sku": "S", "in_house": 4, "claimed": 1}]
    row_in_another_order = [{"sku": "S", "claimed": 1, "in_house": 4}]

    assert counts_in(one_row) == ("in_house", "claimed")
    assert counts_in(row_in_another_order) == ("in_house", "claimed")


def test_one_row_of_six_may_have_more_units_reserved_than_on_hand() -> None:
    rows = [
        *FOUR_USUAL_ROWS,
        {"sku": "S-5", "in_house": 4, "claimed": 2},
        {"sku": "S-6", "in_house": 3, "claimed": 4},
        {"sku": "S-7", "in_house": 2, "claimed": 2},  # says nothing
    ]

    assert counts_in(rows) == ("in_house", "claimed")


def test_the_counts_are_uncertain_if_one_row_of_five_contradicts() -> None:
    rows = [*FOUR_USUAL_ROWS, {"sku": "S-5", "in_house": 3, "claimed": 4}]

    assert counts_in(rows) is None
