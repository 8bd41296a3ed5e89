"""The pre-call check understands the tables, pages and records of generated shops.

A crosslist tells which products fit a competitor's request, and an inventory export the stock of
products on some days. Each test is for both, and for pages that say their rules in two wordings.
"""

from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from tests.benchmarks.ecom.variants import generate_variant
from tests.benchmarks.shop.checked_calls import objection_to_write, shop_of

pytestmark = pytest.mark.parametrize("wordings", ["known", "unseen"])


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
