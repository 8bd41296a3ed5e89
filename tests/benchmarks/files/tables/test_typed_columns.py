"""How the cells of a column are read: as dates, numbers or texts, and what is told of it.

A column is typed, or the result says why it is not: nothing is read wrongly without a word.
"""

import pytest

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table
from controlplane.sandbox.interface import Plain


def queried(text: str, sql: str, form: str = "") -> dict[str, Plain]:
    """Return the result of a query on the file `/a.csv` with this text."""
    return query_table(
        Table("/a.csv", text, form), sql, limit=100, open_table=pytest.fail
    )


def column(text: str, sql: str = "select x from t", form: str = "") -> list[Plain]:
    """Return the values of the column `x` of the result of a query."""
    rows = queried(text, sql, form)["rows"]
    assert isinstance(rows, list)
    return [row["x"] for row in rows if isinstance(row, dict)]


# Dates. Whatever their form, they are shown and compared as year-month-day.


@pytest.mark.parametrize(
    ("cells", "expected_dates"),
    [
        pytest.param(["31.12.25", "1.1.26"], ["2025-12-31", "2026-01-01"], id="points"),
        pytest.param(
            ["12/31/25", "01/15/26"], ["2025-12-31", "2026-01-15"], id="month first"
        ),
        pytest.param(["31.12.68", "1.1.69"], ["2068-12-31", "1969-01-01"], id="pivot"),
        pytest.param(
            ["31-OCT-2023", "01-nov-2023"],
            ["2023-10-31", "2023-11-01"],
            id="month name",
        ),
        pytest.param(
            ['"Sep 26, 2022"', '"October 1, 2022"'],
            ["2022-09-26", "2022-10-01"],
            id="month name first",
        ),
        pytest.param(
            ["5 May 25", "6 June 2025"], ["2025-05-05", "2025-06-06"], id="spaces"
        ),
    ],
)
def test_dates_are_read_in_the_century_that_is_meant(
    cells: list[str], expected_dates: list[str]
) -> None:
    assert column("x,n\n" + "".join(f"{cell},a\n" for cell in cells)) == expected_dates


@pytest.mark.parametrize("cell", ["31.12.25", "05-may-25"])
def test_pivot_of_years_of_two_digits_is_told(cell: str) -> None:
    forms = queried(f"x,n\n{cell},a\n", "select * from t")["forms"]

    assert "two digits, read as 1969 to 2068" in str(forms)


def test_days_of_two_digits_do_not_make_short_years() -> None:
    result = queried("x,n\n2025-12-31,a\n31.12.2025,b\n", "select * from t")

    assert "two digits" not in str(result["forms"])


def test_date_that_may_begin_with_the_year_is_in_doubt() -> None:
    """`31-12-25` is a day of 2025 or of 2031."""
    text = "x,n\n30-12-25,a\n31-12-25,b\n"

    forms = queried(text, "select * from t")["forms"]

    assert "may have the year or the day first" in str(forms)
    assert column(text, form="day first") == ["2025-12-30", "2025-12-31"]
