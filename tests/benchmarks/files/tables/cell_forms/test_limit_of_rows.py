"""A result has at most as many rows as the limit says, and counts all that were found.

With the limit 10, a query that finds 1,500 rows has ten of them, `total` 1500 and `truncated`.
"""

import pytest

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table
from controlplane.sandbox.interface import CallError


@pytest.fixture
def table_of_3000_rows() -> Table:
    """A table in which half of the rows have x = 0, and half have x = 1."""
    return Table("/a.csv", "n,x\n" + "1,0\n2,1\n" * 1_500)


def test_rows_beyond_the_limit_are_counted(table_of_3000_rows: Table) -> None:
    """1,500 rows have x = 1, and the result has ten of them."""
    sql = "select n from t where x = 1; -- odd"

    result = query_table(table_of_3000_rows, sql, limit=10, open_table=pytest.fail)

    assert result["total"] == 1_500
    assert result["truncated"] is True


def test_result_below_the_limit_is_not_truncated(table_of_3000_rows: Table) -> None:
    """The query finds two rows, one for each value of x."""
    sql = "select x, count(*) from t group by x"

    result = query_table(table_of_3000_rows, sql, limit=10, open_table=pytest.fail)

    assert result["total"] == 2
    assert result["truncated"] is False


def test_limit_above_1000_rows_is_refused_with_other_ways(
    table_of_3000_rows: Table,
) -> None:
    """The error suggests to group rows, or to ask for them in parts."""
    expected_error = r"limit is at most 1,000 rows: .* group, .* offset 1000"

    with pytest.raises(CallError, match=expected_error):
        query_table(
            table_of_3000_rows,
            "select n from t",
            limit=1_001,
            open_table=pytest.fail,
        )
