"""Marks of missing values in a CSV file, such as `NA` and `-`.

They are null among numbers and dates, and stay texts among texts. In the table of these tests, two
of four amounts and two of four dates `d` are missing; the column `code` has texts.
"""

import pytest

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table
from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("sql", "expected_rows"),
    [
        pytest.param(
            "select sum(amount), max(month(d)) from t",
            ["12,2"],
            id="not counted: 5 + 7, and February",
        ),
        pytest.param(
            "select n from t where amount is null or d is null",
            ["b", "c", "d"],
            id="null in conditions",
        ),
        pytest.param(
            "select code, d from t",
            ["NA,2012-01-01", "DE,", "FR,2012-02-01", "-,"],
            id="empty as dates, and kept as codes",
        ),
    ],
)
def test_marks_of_missing_values_are_null_among_numbers_and_dates(
    sql: str, expected_rows: list[str]
) -> None:
    lines = [
        "n,amount,d,code",
        "a,5,2012/01/01,NA",
        "b,NA,N/A,DE",
        "c,-,2012/02/01,FR",
        "d,7,–,-",
    ]

    assert query_rows("\n".join(lines), sql) == expected_rows


def test_marks_of_missing_values_are_kept_if_the_column_has_nothing_else() -> None:
    """Nothing shows whether the column `d` is of numbers, dates or texts."""
    text = "d,x\nNA,1\n-,2\n"

    assert query_rows(text, "select d from t where d = 'NA'") == ["NA"]


def test_result_says_which_values_are_missing() -> None:
    """Otherwise a script would not notice that its sum leaves two of four amounts out."""
    lines = [
        "n,amount,d,code",
        "a,5,2012/01/01,NA",
        "b,NA,N/A,DE",
        "c,-,2012/02/01,FR",
        "d,7,–,-",
    ]
    table = Table("/a.csv", "\n".join(lines))

    result = query_table(table, "select n from t", 100, open_table=pytest.fail)

    assert result["forms"] == {
        "amount": "numbers; empty values ('-', 'NA'): 2",
        "d": "dates; empty values ('N/A', '–'): 2",
    }
