"""Queries that compute with texts that only look like numbers or dates, such as `007` and `5 km`.

Such a query would find nothing, or the wrong rows, so it is refused with the reason.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param('"b as written" > 100', id="comparison"),
        pytest.param('"b as written" in (1, 12)', id="list of numbers"),
    ],
)
def test_comparing_ambiguous_numbers_with_a_number_is_refused(condition: str) -> None:
    """1.234 may be 1234, or a little more than 1. So the table has no column `b` of numbers.

    Queries can use the column `b as written` instead, which has the texts: "1.234".
    """
    text = "a;b\nx;1.234\ny;2.500\nz;12\n"
    expected_error = "b as written is text: compare it with a text in quotes"

    with pytest.raises(CallError, match=expected_error):
        query_rows(text, f"select a from t where {condition}")


def test_comparing_numbers_with_leading_zeros_with_a_number_is_refused() -> None:
    """As texts, "007" and 7 differ, so the query would find nothing."""
    expected_error = "id is text: compare it with a text in quotes"

    with pytest.raises(CallError, match=expected_error):
        query_rows("id\n007\n12\n", "select id from t where 7 = id")


def test_comparing_dates_with_a_date_as_the_file_writes_it_is_refused() -> None:
    """Queries have to write dates year first: `d = '2025-04-13'`."""
    text = "d,x\n03/04/2025,1\n13/04/2025,2\n"

    with pytest.raises(CallError, match="invalid date"):
        query_rows(text, "select x from t where d = '13/04/2025'")


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param("select sum(x) from t", r"sum\(VARCHAR\)", id="sum"),
        pytest.param(
            "select * from t where x > 6",
            "is text: compare it with a text in quotes",
            id="comparison",
        ),
        pytest.param("select x * 2 from t", r"\*\(VARCHAR", id="product"),
        pytest.param(
            "select cast(x as double) from t",
            "Could not convert string",
            id="conversion",
        ),
    ],
)
def test_computing_with_numbers_that_have_a_unit_is_refused(
    sql: str, expected_error: str
) -> None:
    """The lengths "5 km" and "7 km" are texts. VARCHAR is the database's name for a text."""
    text = "a,x\n1,5 km\n2,7 km\n"

    with pytest.raises(CallError, match=expected_error):
        query_rows(text, sql)
