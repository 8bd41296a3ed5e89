"""Counts of a branch's stock of which it is not certain which are the units on hand.

A row of stock has a code and two counts: the units on hand, and the reserved units among them. In
`[{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 4, "m": 1}]`, `n` are the units on hand, as `n` is
larger than `m` in both rows. Without such a field, the result is None.
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
def test_counts_are_uncertain_without_two_fields_of_which_one_is_larger(
    rows: list[dict[str, object]],
) -> None:
    words_of_the_stock_page: list[str] = []  # They tell only the fields of deliveries.
    assert stock_fields({"stock": rows}, marked=words_of_the_stock_page) is None
