"""Signs beside the digits of a number in a CSV file: currencies, percent, minus, leading zeros.

The cells of a CSV file are texts. Queries get the numbers: of `1 234,5 €` the number 1234.5. Each
case is a file, a query of its table `t`, and the rows of the result.
"""

import pytest

from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        pytest.param(
            "p;n\n1 234,5 €;2\n−2,00 €;1\n",
            "select p from t where p > 3",
            ["1234.5"],
            id="blank in a number, and a typographic minus",
        ),
        # `'1` is not a number, so the column `p` becomes two: its texts, and its numbers.
        pytest.param(
            "p\n1'234'567\n'1\n5\n",
            'select count(*) from t where "p as number" = 5',
            ["1"],
            id="apostrophe that is not in a number",
        ),
        pytest.param(
            "p\n12 %\n7.5 %\n", "select avg(p) from t", ["9.75"], id="percent"
        ),
        pytest.param(
            "a\n1\n2\n3\n",
            "select sum(a) over (order by a rows 1 preceding) from t",
            ["1", "3", "5"],
            id="sums of two rows",
        ),
        pytest.param(
            "id\n007\n12\n", "select id from t", ["007", "12"], id="leading zeros"
        ),
    ],
)
def test_numbers_are_read_by_the_form_of_their_column(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql) == expected_rows
