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


# Codes that look like numbers stay as they are written.


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        pytest.param(["1E5", "12E3", "2E10"], "12E3", id="letter between digits"),
        pytest.param(["1e5", "7", "8"], "1e5", id="among numbers"),
        pytest.param(["007", "12", "n/a"], "007", id="leading zero"),
        pytest.param(["0049", "1234567890123456"], "0049", id="many digits"),
    ],
)
def test_codes_stay_texts_and_are_told(cells: list[str], code: str) -> None:
    text = "x,n\n" + "".join(f"{cell},a\n" for cell in cells)

    assert column(text) == cells
    assert queried(text, "select * from t")["forms"] == {
        "x": f"text, as {code!r} is a code"
    }


def test_powers_of_ten_as_programs_write_them_are_numbers() -> None:
    assert column("x,n\n1.5E3,a\n2E+05,a\n3e-1,a\n") == [1500, 200000, 0.3]


def test_words_with_a_code_among_them_are_texts_without_a_note() -> None:
    assert queried("x,n\nBerlin,a\nBonn,a\n007,a\n", "from t")["forms"] == {}


def test_dates_with_a_word_among_them_are_told() -> None:
    """The greatest text of such a column is no date."""
    text = "x,n\n2025-01-31,a\n2025-02-01,b\npending,c\n"

    result = queried(text, "select max(x) as x from t")

    note = "text, as 'pending' is no date (1 of 3 different values)"
    assert result["forms"] == {"x": note}
    assert result["doubts"] == [f"/a.csv: x is {note}"]


def test_dates_of_different_forms_are_told() -> None:
    text = "x,n\n2025-01-31,a\n01.02.2025,b\n"

    assert queried(text, "select max(x) as x from t")["forms"] == {
        "x": "text, as its dates have different forms"
    }


def test_stamps_with_different_offsets_are_told() -> None:
    """As texts, 10:00+02:00 is after 09:30Z, but it is an hour and a half before it."""
    text = "x,n\n2025-01-31T10:00:00+02:00,a\n2025-01-31T09:30Z,b\n"

    result = queried(text, "select max(x) as x from t")

    assert "x is text, whose stamps have different offsets" in str(result["doubts"])


def test_stamps_with_one_offset_are_in_order() -> None:
    text = "x,n\n2025-01-31T10:00:00Z,a\n2025-01-31T09:30:00Z,b\n"

    result = queried(text, "select max(x) as x from t")

    assert (result["doubts"], result["forms"]) == ([], {})


# A row of totals below the amounts, which a sum over the column would count, too.


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        pytest.param("x,n\n10,a\n20,b\n30,Total\n", 4, "Total", id="last cell"),
        pytest.param("n,x\nbolt,10\nnut,20\nTotal,30\n", 4, "Total", id="English"),
        pytest.param("n;x\nA;1,50\nB;2,50\nSumme:;4,00\n", 4, "Summe:", id="German"),
        pytest.param("n,x\nA,1\nB,2\n合計,9\n", 4, "合計", id="Japanese"),
        pytest.param("n,x\nA,1\nB,2\nTotal (EUR),3\n", 4, "Total (EUR)", id="unit"),
        pytest.param("n,x\nA,0.1\nB,0.2\nC,0.4\n,0.7\n", 5, "0.7", id="only sums"),
    ],
)
def test_row_of_totals_is_told(text: str, line: int, name: str) -> None:
    result = queried(text, "select sum(x) as s from t")

    assert result["doubts"] == [
        f"/a.csv: line {line} ({name!r}) may be a row of totals: a sum over x counts it, too"
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("n,x\nA,1\nB,2\nC,3\n", id="count"),
        pytest.param("n,x\nTotal,6\nA,1\nB,2\nC,3\n", id="first row"),
        pytest.param("n,x\nA,1\nB,2\nTotally new,3\n", id="other word"),
        pytest.param("n,x\nA,0\nB,0\nC,0\nD,0\n", id="zeros"),
        pytest.param("n,x\nA,many\nTotal,none\n", id="no numbers"),
    ],
)
def test_last_row_without_totals_is_not_told(text: str) -> None:
    assert queried(text, "from t")["doubts"] == []


# Money adds up: the numbers of a column with few decimals are decimals, not floats.

THOUSAND_AMOUNTS = "n;x\n" + "".join(
    f"a;{number},{number % 100:02}\n" for number in range(1_000)
)


@pytest.mark.parametrize(
    ("text", "sql", "expected"),
    [
        pytest.param("n,x\na,0.10\nb,0.20\n", "sum(x)", 0.3, id="point"),
        pytest.param("n;x\na;0,10\nb;0,20\n", "sum(x)", 0.3, id="comma"),
        pytest.param("n,x\na,0.10\nb,0.20\n", "sum(x) = 0.3", True, id="compared"),
        pytest.param(THOUSAND_AMOUNTS, "sum(x)", 499995, id="a thousand"),
        # What decimals must not change.
        pytest.param("n,x\na,0.1\nb,0.2\n", "median(x)", 0.15, id="median"),
        pytest.param("n,x\na,0.1\nb,0.2\n", "list(x)", "[0.1, 0.2]", id="list"),
        pytest.param(
            "n,x\na,200000.05\nb,1\n",
            "max(x * x * x * 1.19)",
            9.52000714001785e15,
            id="product",
        ),
        pytest.param("n,x\na,5\nb,7\n", "avg(x)", 6, id="whole numbers"),
        pytest.param("n,x\na,1e-300\nb,0.5\n", "min(x)", 1e-300, id="very small"),
        pytest.param("n,x\na,0.00001\nb,0.5\n", "min(x)", 1e-05, id="small"),
        pytest.param("n,x\na,5.5e20\nb,0.5\n", "max(x)", 5.5e20, id="very large"),
    ],
)
def test_decimals_are_exact(text: str, sql: str, expected: object) -> None:
    (value,) = column(text, f"select {sql} as x from t")

    if sql.startswith("max(x *"):
        assert value == pytest.approx(expected)
    else:
        assert value == expected
