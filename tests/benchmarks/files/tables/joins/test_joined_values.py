"""Values of two tables that a query joins, and the names of the columns in its result.

`t` is a table of loans, with the columns `item`, `year` and `fee`, and `/d/items.csv` one of the
items that are lent, with `item`, `year` and `made`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.files.opened_files import environment_with_worker


@pytest.fixture
def loans_and_items(
    fork_server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """Three loans and the two items that are lent, in the folder `d`, to which scripts may write.

    A loan has the number of its item; `-` means that it has no fee. The column `year` of the items
    is text, because of "1999 or so".
    """
    loans = [
        "item;year;fee",
        "01;2024;1,50",
        "02;2025;-",
        "01;2025;2,25",
    ]
    items = [
        "item,year,made",
        "01,1999 or so,2024/02/01",
        "02,2001,2024/03/01",
    ]
    (tmp_path / "d").mkdir()
    (tmp_path / "d/loans.csv").write_text("\n".join(loans) + "\n")
    (tmp_path / "d/items.csv").write_text("\n".join(items) + "\n")
    sources = find_sources(tmp_path)
    with environment_with_worker(fork_server, sources, writable="d") as environment:
        yield environment


# Queries of the table of loans, which may join the table of items.
#
#     query_loans(environment, "select l.year, i.year from t l join '/d/items.csv' i using (item)")
#
# `t` is the table of loans, and any other file is named by its path.


def query_loans(environment: FilesEnvironment, sql: str) -> dict[str, Plain]:
    """Return the result of a query in which `t` is the table of loans."""
    return environment.call("table", {"path": "/d/loans.csv", "sql": sql})


# Tables that a script has changed are read again by the next query.
#
# In the queries, `t` is a table of three loans, and `i` one of the two items that are lent.


def test_table_that_a_script_has_changed_is_read_again(
    loans_and_items: FilesEnvironment,
) -> None:
    """Two loans are of item 01, and one is of item 02. Then a script removes item 02."""
    count_loans = "select count(*) as loans from t l join '/d/items.csv' i using (item)"
    file_without_item_02 = {
        "path": "/d/items.csv",
        "content": "item,year\n01,1\n",
        "if_match_sha256": "",  # The file is written whatever it had before.
    }

    before = query_loans(loans_and_items, count_loans)
    loans_and_items.call("write", file_without_item_02)
    after = query_loans(loans_and_items, count_loans)

    assert before["rows"] == [{"loans": 3}]
    assert after["rows"] == [{"loans": 2}]


# Errors of a query that joins two tables. They name the table, so that the query can be corrected.
#
# In the queries, `t` and `l` are the loans, and `i` the items, whose column `year` is text.


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


def test_values_of_both_tables_are_read_in_the_form_of_their_column(
    loans_and_items: FilesEnvironment,
) -> None:
    """The fees of item 01 are 1.50 and 2.25, and it was made in February.

    The key `forms` of a result tells how the texts of a column were read as numbers.
    """
    result = query_loans(
        loans_and_items,
        "select item, sum(fee) s, any_value(month(made)) m "
        "from t l join '/d/items.csv' i using (item) group by 1 order by 1",
    )

    assert result["content"] == "item,s,m\n01,3.75,2\n02,,3\n"
    assert result["forms"] == {
        "/d/items.csv item": "text, as '01' is a code: 2 of 2 cells",
        "/d/items.csv year": "text, as '1999 or so' is no number: 1 of 2 cells",
        "/d/items.csv made": "dates: 2 of 2 cells",
        "item": "text, as '01' is a code: 3 of 3 cells",
        "year": "numbers: 3 of 3 cells",
        "fee": "numbers, decimal comma: 2 of 3 cells; empty ('-'): 1",
    }


def test_second_column_of_one_name_gets_a_number(
    loans_and_items: FilesEnvironment,
) -> None:
    """Both tables have a column `year`: 2024 in the loan, and "1999 or so" in its item.

    The item's year is the second column of the result, and so becomes `year_2`.
    """
    result = query_loans(
        loans_and_items,
        "select l.year, i.year from t l join '/d/items.csv' i using (item) "
        "where l.year = 2024",
    )

    assert result["rows"] == [{"year": 2024, "year_2": "1999 or so"}]


def test_number_of_a_column_does_not_make_a_name_that_is_taken(
    loans_and_items: FilesEnvironment,
) -> None:
    """The query selects the loan's year, the number 7 as `year_3`, and the item's year.

    The third column would be `year_3`. As this name is taken, it becomes `year_3_3`.
    """
    result = query_loans(
        loans_and_items,
        "select l.year, 7 year_3, i.year from t l join '/d/items.csv' i using (item) "
        "where l.year = 2024",
    )

    assert result["rows"] == [{"year": 2024, "year_3": 7, "year_3_3": "1999 or so"}]
