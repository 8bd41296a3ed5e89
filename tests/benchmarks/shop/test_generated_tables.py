"""The pre-call check objects to a table with a wrong row, and not to the right one.

A script is about to write the table in a generated shop: a crosslist, which tells which products fit a
competitor's request, or an inventory export, which tells the stock of products on some days. The
check compares it with the shop's records and pages: "line 7: `available_today` is '12'".
"""

from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.names import WorldSettings
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection_to_write, shop_of

# Tables that right answers to tasks of generated shops write, and what the pre-call check says of them.
#
#     table = right_table("crosslist", "known")
#     table.objection_with(table.rows)        # "": nothing speaks against it
#     table.objection_with(table.rows[:-1])   # "... 4 are due; no row is about ..."
#
# The pre-call check looks at a call that would change something before it is made. A crosslist tells
# which products fit a competitor's request, and an inventory export the stock of products on some days.


class RightTable(NamedTuple):
    """The table that the right answer to a task writes."""

    shop: EcomEnvironment
    path: str
    header: str
    rows: list[str]

    def objection_with(self, rows: list[str]) -> str:
        """Return the objection to the table with these rows."""
        return objection_to_write(self.shop, self.path, "\n".join([self.header, *rows]))


def right_table(variant: str, wordings: str) -> RightTable:
    """Return the table of a task such as `crosslist`, in a shop whose pages have these wordings."""
    task = generate_variant(variant, "seed 1", WorldSettings(wordings=wordings))
    ((path, text),) = task.truth.changes.items()
    assert text is not None
    header, *rows = text.splitlines()
    return RightTable(shop_of(task), path, header, rows)


# The pre-call check objects to a table that lacks a row, and names what the row is about.
#
# A script is about to write the table in a generated shop: a crosslist, which tells which products fit a
# competitor's request, or an inventory export, which tells the stock of products on some days.

missing_rows_pytestmark = pytest.mark.parametrize("wordings", ["known", "unseen"])
"""The pages of the shop say their rules in two wordings."""


@pytest.mark.parametrize(
    ("variant", "separator", "subject_column"),
    [
        pytest.param("crosslist", "\t", 1, id="competitor_code of a crosslist"),
        pytest.param("inventory-export", ",", 0, id="SKU of an export"),
    ],
)
def test_a_missing_first_row_is_named(
    variant: str, separator: str, subject_column: int, wordings: str
) -> None:
    table = right_table(variant, wordings)
    first_row, *other_rows = table.rows

    text = table.objection_with(other_rows)

    subject = first_row.split(separator)[subject_column]
    assert f"are due; no row is about {subject} (" in text


@pytest.mark.parametrize("variant", ["crosslist", "inventory-export"])
def test_a_missing_last_row_is_objected_to(variant: str, wordings: str) -> None:
    table = right_table(variant, wordings)

    text = table.objection_with(table.rows[:-1])

    assert "are due; no row" in text


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
