"""Dates in a CSV file, in any order of day, month and year.

Queries write and get them year first: `03.04.2025` is `2025-04-03`. Each case is a file, a query of
its table `t`, and the rows of the result.
"""

import pytest

from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        pytest.param(
            "d,x\n03/04/2025,1\n13/04/2025,2\n",
            "select x from t where d > '2025-04-05'",
            ["2"],
            id="day first, as there is no month 13",
        ),
        pytest.param(
            "d\n03.04.2025\n05.04.2025\n",
            "select d from t order by d desc",
            ["2025-04-05", "2025-04-03"],
            id="German dates",
        ),
        pytest.param(
            "d\n2012.01.31\n2012.02.01\n",
            "select max(d) - min(d) from t",
            ["1"],
            id="year first",
        ),
    ],
)
def test_dates_are_read_by_the_form_of_their_column(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql) == expected_rows
