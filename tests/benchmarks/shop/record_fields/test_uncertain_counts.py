"""Counts of a branch's stock that may be the units on hand or the reserved units.

A row is recognized if it has two counts, one of which is larger: in `{"sku": "S", "n": 2, "m": 1}`,
`n` are the units on hand. Otherwise the fields are unknown: None.
"""

import pytest

from controlplane.benchmarks.shop.workspace.fields.stock_fields import stock_fields


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([], id="no rows"),
        pytest.param([{"sku": "S", "n": 2}], id="one count"),
        pytest.param([{"sku": "S", "n": 2, "m": 1, "k": 1}], id="three counts"),
        pytest.param(
            [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 2}],
            id="a count that is missing in a row",
        ),
        pytest.param([{"sku": "S", "n": 2, "m": 2}], id="equal counts"),
        pytest.param(
            [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 1, "m": 2}],
            id="each larger in one row",
        ),
        pytest.param([{"sku": "S", "n": True, "m": 1}], id="a boolean"),
    ],
)
def test_counts_are_uncertain_without_two_numbers_of_which_one_is_larger(
    rows: list[dict[str, object]],
) -> None:
    assert stock_fields({"stock": rows}, marked=()) is None
