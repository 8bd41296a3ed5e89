"""Tables of files in JSON Lines: each line is an object, and a row of the table.

`call_table({"a.jsonl": text}, path="/a.jsonl")` writes a file, and makes the call of a script for a
table of it. The result has the rows as CSV in `content`, and in `lines` the line of each row.
"""

from tests.benchmarks.files.tables.table_queries.table_calls import TableCalls


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
