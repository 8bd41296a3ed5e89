"""The pre-call check objects to a table with a wrong row, and not to the right one.

A script is about to write the table in a generated shop: a crosslist, which tells which products fit a
competitor's request, or an inventory export, which tells the stock of products on some days. The
check compares it with the shop's records and pages: "line 7: `available_today` is '12'".
"""

import pytest

from tests.benchmarks.shop.checked_calls import objection_to_write
from tests.benchmarks.shop.generated_tables.right_tables import right_table

pytestmark = pytest.mark.parametrize("wordings", ["known", "unseen"])
"""The pages say their rules in two wordings."""


@pytest.mark.parametrize("variant", ["crosslist", "inventory-export"])
def test_the_right_table_is_not_objected_to(variant: str, wordings: str) -> None:
    table = right_table(variant, wordings)

    assert table.objection_with(table.rows) == ""


@pytest.mark.parametrize(
    ("variant", "separator", "column"),
    [
        pytest.param("crosslist", "\t", 9, id="available_today of a crosslist"),
        pytest.param("inventory-export", ",", 1, id="first day of an export"),
    ],
)
def test_a_cell_against_the_records_is_named(
    variant: str, separator: str, column: int, wordings: str
) -> None:
    """The last row has two units too many."""
    table = right_table(variant, wordings)
    *first_rows, last_row = table.rows
    cells = last_row.split(separator)
    cells[column] = str(int(cells[column]) + 2)

    text = table.objection_with([*first_rows, separator.join(cells)])

    column_name = table.header.split(separator)[column]
    line_number = len(table.rows)  # The header does not count.
    assert f"line {line_number}: `{column_name}` is '{cells[column]}'" in text


@pytest.mark.parametrize("variant", ["crosslist", "inventory-export"])
def test_a_row_for_an_unknown_product_is_objected_to(
    variant: str, wordings: str
) -> None:
    table = right_table(variant, wordings)

    text = objection_to_write(table.shop, table.path, "SKU,2030-01-01\nNO-SUCH,3\n")

    assert "no product is called" in text
