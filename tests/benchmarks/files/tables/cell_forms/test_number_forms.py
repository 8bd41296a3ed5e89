"""Numbers with further signs in a CSV file: currencies, percent, apostrophes, leading zeros.

The cells of a CSV file are texts. If all cells of a column are numbers, a query gets numbers: for
`1 234,5 €` the number 1234.5.
"""

import pytest

from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("file_text", "sql", "expected_rows"),
    [
        pytest.param(
            "price;name\n1 234,5 €;a\n−2,00 €;b\n",
            "select price from t where price > 3",
            ["1234.5"],
            id="currency, a blank for thousands, and a typographic minus",
        ),
        pytest.param(
            "share\n12 %\n7.5 %\n",
            "select avg(share) from t",
            ["9.75"],
            id="percent",
        ),
    ],
)
def test_signs_beside_the_digits_are_left_out(
    file_text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(file_text, sql) == expected_rows


def test_a_column_with_a_cell_that_is_no_number_becomes_two() -> None:
    """`1'234'567` is a number, but `'1` is none. Queries get the column `price` with all cells as
    texts, and the column `price as number` beside it."""
    file_text = "price\n1'234'567\n'1\n5\n"
    sql = 'select count(*) from t where "price as number" = 5'

    assert query_rows(file_text, sql) == ["1"]


def test_leading_zeros_are_kept() -> None:
    """Numbers with leading zeros are ids, which would lose the zeros as numbers: 007 is no 7."""
    assert query_rows("id\n007\n12\n", "select id from t") == ["007", "12"]
