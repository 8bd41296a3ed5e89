"""Rows that a query computes. They have no line in the file, which an answer could cite.

A row has a line only if the query selects `_line`, and leaves all values as they are. Otherwise an
answer could cite line 3 of the file for a value that is not on line 3.
"""

import pytest

from tests.benchmarks.files.tables.table_queries.table_calls import TableCalls


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "select a.name, b.due, a._line from t a, t b where b.name = 'Bob'",
            id="values of two rows",
        ),
        pytest.param(
            "select name, due + interval 9 years as due, _line from t",
            id="changed value",
        ),
        pytest.param(
            "select name, due, 3 as _line from t where name = 'Ada'",
            id="invented line number",
        ),
        pytest.param(
            "select due as name, name as due, _line from t", id="exchanged names"
        ),
        pytest.param(
            "select name || '' as name, due::text || 'x' as due, _line from t",
            id="computed columns",
        ),
        pytest.param("select sum(fee) as fee, 2 as _line from t", id="sum"),
        pytest.param("select name, due from t", id="no line number"),
    ],
)
def test_row_that_a_query_computes_has_no_line(
    call_table: TableCalls, sql: str
) -> None:
    due_days = "name,due,fee\nAda,2024-01-31,3\nBob,2027-03-19,4\n"

    result = call_table({"a.csv": due_days}, path="/a.csv", sql=sql)

    assert result["rows"]
    assert result["lines"] == []


def test_rows_that_a_query_only_orders_keep_their_lines(call_table: TableCalls) -> None:
    """The header is line 1, Ada is on line 2, and Bob, who comes first here, on line 3."""
    due_days = "name,due,fee\nAda,2024-01-31,3\nBob,2027-03-19,4\n"
    sql = "select due, name, _line from t order by name desc"

    result = call_table({"a.csv": due_days}, path="/a.csv", sql=sql)

    assert result["lines"] == [3, 2]
