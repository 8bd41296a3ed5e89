"""Queries that join the tables of several files: `from t join '/d/items.csv' i using (item)`.

`t` is the table that the call names, and any other file is named by its path.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.files.opened_files import environment_with_worker, write_files

# Loans with the number of the item that is lent. The fees have a decimal comma, and `-` means
# that there is none.
LOANS = "item;year;fee\n01;2024;1,50\n02;2025;-\n01;2025;2,25\n"

# The items. Their column `year` is text, because of its first value.
ITEMS = "item,year,made\n01,1999 or so,2024/02/01\n02,2001,2024/03/01\n"

FROM_LOANS_AND_ITEMS = "from t l join '/d/items.csv' i using (item)"
"""The end of a query about both tables."""


@pytest.fixture
def loans_and_items(
    fork_server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """The two tables, in the folder `d`, to which scripts may write."""
    write_files(tmp_path, {"d/loans.csv": LOANS, "d/items.csv": ITEMS})
    sources = find_sources(tmp_path)
    with environment_with_worker(fork_server, sources, writable="d") as environment:
        yield environment


def query_loans(environment: FilesEnvironment, sql: str) -> dict[str, Plain]:
    """Return the result of a query in which `t` is the table of loans."""
    return environment.call("table", {"path": "/d/loans.csv", "sql": sql})


def test_values_of_both_tables_are_read_in_the_form_of_their_column(
    loans_and_items: FilesEnvironment,
) -> None:
    """The fees of item 01 are 1.50 and 2.25, and it was made in February.

    The key `forms` of a result tells how the texts of a column were read as numbers.
    """
    result = query_loans(
        loans_and_items,
        "select item, sum(fee) s, any_value(month(made)) m "
        f"{FROM_LOANS_AND_ITEMS} group by 1 order by 1",
    )

    assert result["content"] == "item,s,m\n01,3.75,2\n02,,3\n"
    assert result["forms"] == {"fee": "decimal comma; empty values ('-'): 1"}


def test_second_column_of_one_name_gets_a_number(
    loans_and_items: FilesEnvironment,
) -> None:
    """Both tables have a column `year`: 2024 in the loan, and "1999 or so" in its item."""
    result = query_loans(
        loans_and_items,
        f"select l.year, i.year {FROM_LOANS_AND_ITEMS} where l.year = 2024",
    )

    assert result["rows"] == [{"year": 2024, "year_2": "1999 or so"}]


def test_number_of_a_column_does_not_make_a_name_that_is_taken(
    loans_and_items: FilesEnvironment,
) -> None:
    """The third column would be named `year_3`, but the query has a column of that name."""
    result = query_loans(
        loans_and_items,
        f"select l.year, 7 year_3, i.year {FROM_LOANS_AND_ITEMS} where l.year = 2024",
    )

    assert result["rows"] == [{"year": 2024, "year_3": 7, "year_3_3": "1999 or so"}]


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param(
            f"select 1 {FROM_LOANS_AND_ITEMS} where i.year > 2000",
            "year is text",
            id="text compared with a number",
        ),
        pytest.param(
            f"select x {FROM_LOANS_AND_ITEMS}",
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
    """A script that reads the error can correct its query."""
    with pytest.raises(CallError, match=expected_error):
        query_loans(loans_and_items, sql)


def test_table_that_a_script_has_changed_is_read_again(
    loans_and_items: FilesEnvironment,
) -> None:
    """At first, all three loans have an item. Then item 02, with one loan, is removed."""
    count_loans = f"select count(*) n {FROM_LOANS_AND_ITEMS}"
    count_before = query_loans(loans_and_items, count_loans)["content"]

    table_without_item_02 = {
        "path": "/d/items.csv",
        "content": "item,year\n01,1\n",
        "if_match_sha256": "",
    }
    loans_and_items.call("write", table_without_item_02)
    count_after = query_loans(loans_and_items, count_loans)["content"]

    assert count_before == "n\n3\n"
    assert count_after == "n\n2\n"
