"""Marks of missing values in a CSV file, such as `NA` and `-`.

Among numbers and dates they are null, and among texts they stay texts. A column with nothing else
is one of texts. In `TABLE`, two of four amounts and two of four days are missing. The column `code`
has texts.
"""

import pytest

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table
from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows

TABLE = """\
n,amount,day,code
a,5,2012/01/01,NA
b,NA,N/A,DE
c,-,2012/02/01,FR
d,7,–,-
"""


@pytest.mark.parametrize(
    ("sql", "expected_rows"),
    [
        pytest.param(
            "select sum(amount), max(month(day)) from t",
            ["12,2"],  # 5 + 7, and February
            id="sums and maxima leave them out",
        ),
        pytest.param(
            "select n from t where amount is null or day is null",
            ["b", "c", "d"],
            id="conditions see them as null",
        ),
        pytest.param(
            "select code, day from t",
            ["NA,2012-01-01", "DE,", "FR,2012-02-01", "-,"],
            id="codes stay, and missing days are empty",
        ),
    ],
)
def test_marks_of_missing_values_are_null_among_numbers_and_dates(
    sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(TABLE, sql) == expected_rows


def test_marks_of_missing_values_are_kept_if_the_column_has_nothing_else() -> None:
    only_marks = "d,x\nNA,1\n-,2\n"

    assert query_rows(only_marks, "select d from t where d = 'NA'") == ["NA"]


def test_result_says_which_values_are_missing() -> None:
    """Otherwise a script would not notice that its sum leaves two of four amounts out.

    `forms` says how the texts of each column were read.
    """
    result = query_table(
        Table("/a.csv", TABLE),
        "select n from t",
        limit=100,
        open_table=pytest.fail,  # The query names no other table.
    )

    assert result["forms"] == {
        "amount": "numbers; empty values ('-', 'NA'): 2",
        "day": "dates; empty values ('N/A', '–'): 2",
    }
