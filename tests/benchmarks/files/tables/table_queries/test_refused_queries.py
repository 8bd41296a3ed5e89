"""Queries that do more than read the table. They are refused.

A model writes the queries, and a hostile file may have told it what to write.
`call_table({"a.csv": text}, path="/a.csv", sql="delete from t")` writes a file, and makes the call
of a script for a table `t` of it.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.table_queries.table_calls import TableCalls

every_kind_of_table = pytest.mark.parametrize(
    ("file_name", "text"),
    [
        pytest.param("a.csv", "id,name\n7,x\n", id="commas"),
        pytest.param("a.tsv", "city\tn\nX\t1\n", id="tabs"),
        pytest.param("a.jsonl", '{"a": 1}\n', id="JSON Lines"),
        pytest.param("semi.csv", "a;a\n1;2\n", id="semicolons"),
    ],
)


@every_kind_of_table
def test_query_for_an_unknown_column_is_refused_with_the_names_of_all_columns(
    call_table: TableCalls, file_name: str, text: str
) -> None:
    """A script that reads the error can correct its query."""
    with pytest.raises(CallError, match="the table t has the columns"):
        call_table({file_name: text}, path=f"/{file_name}", sql="select nothing from t")


@every_kind_of_table
@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("delete from t", id="delete rows"),
        pytest.param("attach 'x' as y", id="open another database"),
        pytest.param("pragma query_only = off; drop table t", id="drop the table"),
        pytest.param("pragma user_version = 4711", id="change a setting"),
        pytest.param("select * from read_csv('/etc/passwd')", id="read another file"),
        pytest.param("create temp table u(a)", id="create a table"),
    ],
)
def test_query_that_does_more_than_read_the_table_is_refused(
    call_table: TableCalls, file_name: str, text: str, sql: str
) -> None:
    with pytest.raises(CallError, match="the query failed"):
        call_table({file_name: text}, path=f"/{file_name}", sql=sql)
