"""Queries that do more than read the table. They are refused.

A model writes the queries, and a hostile file may have told it what to write.
`call_table({"a.csv": text}, path="/a.csv", sql="delete from t")` writes a file, and makes the call
of a script for a table `t` of it.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.queried_rows import query_rows
from tests.benchmarks.files.tables.table_queries.table_calls import TableCalls

# Rows that a query computes. They have no line in the file, which an answer could cite.
#
# A row has a line only if the query selects `_line`, and leaves all values as they are. Otherwise an
# answer could cite line 3 of the file for a value that is not on line 3.


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


# Tables of files in JSON Lines: each line is an object, and a row of the table.
#
# `call_table({"a.jsonl": text}, path="/a.jsonl")` writes a file, and makes the call of a script for a
# table of it. The result has the rows as CSV in `content`, and in `lines` the line of each row.


def test_fields_of_all_json_lines_are_columns(call_table: TableCalls) -> None:
    """The object on line 1 has no `c`, and that on line 3 no `b`. Line 2 is empty."""
    text = '{"a": 1, "b": [2]}\n\n{"c": "04", "a": 3}\n'

    result = call_table(
        {"a.jsonl": text}, path="/a.jsonl", sql="select a, b, c, _line from t"
    )

    assert result["content"] == "a,b,c\n1,[2],\n3,,04\n"
    assert result["lines"] == [1, 3]


def test_row_below_a_very_long_json_line_is_found(call_table: TableCalls) -> None:
    """Line 1 has more than a million characters.

    The fields `a` and `A` differ only in case, so that `A` is queried as `A_2`.
    """
    text = f'{{"a": "{"x" * 1_600_000}"}}\n{{"A": "07", "a": 1}}\n'

    result = call_table(
        {"a.jsonl": text}, path="/a.jsonl", where="A_2 = '07'", columns="a, A_2"
    )

    assert result["content"] == "a,A_2\n1,07\n"
    assert result["lines"] == [2]


# Lines of the rows that a query of a table finds, so that an answer can cite them.
#
# `call_table({"a.csv": text}, path="/a.csv", where="amount > 6")` writes a file, and makes the call of
# a script for a table of it. The result has the rows as CSV in `content`, and in `lines` the line of
# the file for each row.


def test_row_below_a_cell_of_two_lines_has_its_own_line(call_table: TableCalls) -> None:
    """The header is on line 1, the first row on lines 2 and 3, and the second one on line 4."""
    text = 'id,name,amount\n007,"a\nb",5\n8,c,12.50\n'

    result = call_table({"a.csv": text}, path="/a.csv", where="amount > 6")

    assert result["content"] == "id,name,amount\n8,c,12.5\n"
    assert result["lines"] == [4]


def test_rows_in_another_order_have_the_lines_of_the_file(
    call_table: TableCalls,
) -> None:
    """The row with `y` comes first, and is on line 3."""
    text = "id,name\n7,x\n007,y\n"

    result = call_table({"a.csv": text}, path="/a.csv", columns="id", order="name desc")

    assert result["content"] == "id\n007\n7\n"
    assert result["lines"] == [3, 2]


def test_sums_of_groups_have_no_lines(call_table: TableCalls) -> None:
    """City X has the numbers 1 and 2, and Y has none."""
    text = "city\tn\nX\t1\nY\t\nX\t2\n"

    result = call_table(
        {"a.tsv": text}, path="/a.tsv", columns="city, sum(n) s", group="city"
    )

    assert result["content"] == "city,s\nX,3\nY,\n"
    assert result["lines"] == []


def test_columns_of_one_name_are_numbered_and_short_rows_are_filled(
    call_table: TableCalls,
) -> None:
    """Both columns are called `a`, and the last row has no second cell."""
    result = call_table({"semi.csv": "a;a\n1;2\n3\n"}, path="/semi.csv")

    assert result["content"] == "a,a_2\n1,2\n3,\n"
    assert result["lines"] == [2, 3]


# Queries of a table may use window functions of SQL, which compute a value from neighbouring rows.


def test_sum_of_each_row_and_the_one_before() -> None:
    csv_text = "a\n1\n2\n3\n"
    sql = "select sum(a) over (order by a rows 1 preceding) from t"

    assert query_rows(csv_text, sql) == ["1", "3", "5"]  # 1, 1 + 2, 2 + 3


# Tables of a workbook, which is converted to a folder with a CSV file for each sheet.
#
# `call_table(texts, path="/one.xlsx")` writes such files, and makes the call of a script for a table.


def test_path_of_a_workbook_means_its_only_sheet(call_table: TableCalls) -> None:
    sheet = {"one.xlsx/sheet-A.csv": "a\n1\n"}

    result = call_table(sheet, path="/one.xlsx")

    assert result["path"] == "/one.xlsx/sheet-A.csv"
    assert result["content"] == "a\n1\n"


def test_path_of_a_workbook_with_two_sheets_is_refused_with_their_names(
    call_table: TableCalls,
) -> None:
    """The error says which paths the call may name instead."""
    sheets = {"two.xlsx/sheet-A.csv": "a\n1\n", "two.xlsx/sheet-B.csv": "a\n1\n"}
    names_both = r"name /two\.xlsx/sheet-A\.csv or /two\.xlsx/sheet-B\.csv"

    with pytest.raises(CallError, match=names_both):
        call_table(sheets, path="/two.xlsx")


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


def test_a_column_named_like_a_word_of_sql_is_to_be_quoted(
    call_table: TableCalls,
) -> None:
    """DuckDB says only that there is a syntax error at the sign after the word."""
    with pytest.raises(CallError, match='at is a word of SQL: write "at"'):
        call_table({"a.csv": "id,at\n1,2\n"}, path="/a.csv", columns="max(at)")


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
