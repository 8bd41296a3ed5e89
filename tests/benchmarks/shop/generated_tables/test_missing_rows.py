"""The pre-call check objects to a table that lacks a row, and names what the row is about.

A script is about to write the table in a generated shop: a crosslist, which tells which products fit a
competitor's request, or an inventory export, which tells the stock of products on some days.
"""

import pytest

from tests.benchmarks.shop.generated_tables.right_tables import right_table

pytestmark = pytest.mark.parametrize("wordings", ["known", "unseen"])
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
