"""Errors of a query that joins two tables. They name the table, so that the query can be corrected.

In the queries, `t` and `l` are the loans, and `i` the items, whose column `year` is text.
"""

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.joins.joined_tables import query_loans


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param(
            "select 1 from t l join '/d/items.csv' i using (item) where i.year > 2000",
            "year is text",
            id="text compared with a number",
        ),
        pytest.param(
            "select x from t l join '/d/items.csv' i using (item)",
            "the table t has the columns _line, item, year, fee; "
            "the table /d/items.csv has",
            id="unknown column",
        ),
        pytest.param("select 1 from '/d/item.csv'", "/d/item.csv", id="unknown file"),
    ],
)
def test_error_of_a_join_names_the_table(
    loans_and_items: FilesEnvironment, sql: str, expected_error: str
) -> None:
    with pytest.raises(CallError, match=expected_error):
        query_loans(loans_and_items, sql)
