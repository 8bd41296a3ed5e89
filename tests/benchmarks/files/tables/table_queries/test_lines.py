"""Lines of the rows that a query of a table finds, so that an answer can cite them.

`call_table({"a.csv": text}, path="/a.csv", where="amount > 6")` writes a file, and makes the call of
a script for a table of it. The result has the rows as CSV in `content`, and in `lines` the line of
the file for each row.
"""

from tests.benchmarks.files.tables.table_queries.table_calls import TableCalls


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
