"""Queries of a table may use window functions of SQL, which compute a value from neighbouring rows."""

from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


def test_sum_of_each_row_and_the_one_before() -> None:
    csv_text = "a\n1\n2\n3\n"
    sql = "select sum(a) over (order by a rows 1 preceding) from t"

    assert query_rows(csv_text, sql) == ["1", "3", "5"]  # 1, 1 + 2, 2 + 3
