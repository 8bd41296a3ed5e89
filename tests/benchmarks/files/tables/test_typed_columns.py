"""How the cells of a column are read: as dates, numbers or texts, and what is told of it.

A column is typed, or the result says why it is not: nothing is read wrongly without a word.
"""

import pytest

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table
from controlplane.sandbox.interface import CallError, Plain


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
        pytest.param(
            ["3. März 2025", "12. Dezember 2025", "1. Okt. 25"],
            ["2025-03-03", "2025-12-12", "2025-10-01"],
            id="German",
        ),
        pytest.param(
            ["1er janvier 2025", "14 août 2025"],
            ["2025-01-01", "2025-08-14"],
            id="French",
        ),
        pytest.param(
            ["3 de mayo de 2024", "4 de enero de 2025"],
            ["2024-05-03", "2025-01-04"],
            id="Spanish",
        ),
        pytest.param(["2025年3月4日"], ["2025-03-04"], id="Japanese"),
        pytest.param(["31–12–2024"], ["2024-12-31"], id="dashes"),
        pytest.param(['"Fri, 31.12.2021"'], ["2021-12-31"], id="day of the week"),
        pytest.param(
            ["1st May 2025", "May 22nd 2025"],
            ["2025-05-01", "2025-05-22"],
            id="English ordinals",
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

    assert "years of two digits are 1969 to 2068" in str(forms)


def test_days_of_two_digits_do_not_make_short_years() -> None:
    result = queried("x,n\n2025-12-31,a\n31.12.2025,b\n", "select * from t")

    assert "two digits" not in str(result["forms"])


def test_date_that_may_begin_with_the_year_is_in_doubt() -> None:
    """`31-12-25` is a day of 2025 or of 2031."""
    text = "x,n\n30-12-25,a\n31-12-25,b\n"

    forms = queried(text, "select * from t")["forms"]

    assert "may be read in two ways" in str(forms)
    assert column(text, form="day first") == ["2025-12-30", "2025-12-31"]


# Codes that look like numbers stay as they are written.


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        pytest.param(["1E5", "12E3", "2E10"], "12E3", id="letter between digits"),
        pytest.param(["1e5", "7", "8"], "1e5", id="among numbers"),
        pytest.param(["007", "12", "n/a"], "007", id="leading zero"),
        pytest.param(["0049", "1234567890123456"], "0049", id="many digits"),
        pytest.param(
            ["+49 301 234 567", "+41443210987"], "+41443210987", id="telephones"
        ),
    ],
)
def test_codes_stay_texts_and_are_told(cells: list[str], code: str) -> None:
    text = "x,n\n" + "".join(f"{cell},a\n" for cell in cells)

    result = queried(text, "select x from t")

    assert column(text) == cells
    told = f"text, as {code!r} is a code: {len(cells)} of {len(cells)} cells"
    assert result["told"] == [f"/a.csv: x = {told}"]


def test_powers_of_ten_as_programs_write_them_are_numbers() -> None:
    assert column("x,n\n1.5E3,a\n2E+05,a\n3e-1,a\n") == [1500, 200000, 0.3]


@pytest.mark.parametrize(
    ("cells", "is_told"),
    [
        pytest.param(["1.9", "1.10"], True, id="versions"),
        pytest.param(["1.90", "1.10", "2.00"], False, id="prices"),
        pytest.param(["2.0", "1.25"], False, id="floats"),
    ],
)
def test_versions_that_are_equal_as_numbers_are_told(
    cells: list[str], is_told: bool
) -> None:
    doubts = queried("x,n\n" + "".join(f"{cell},a\n" for cell in cells), "from t")[
        "doubts"
    ]

    assert ("in which '1.10' is 1.1" in str(doubts)) == is_told


@pytest.mark.parametrize(
    ("cells", "is_told"),
    [
        pytest.param(["1.23457E+11", "1.9E+12", "4711"], True, id="long ids"),
        pytest.param(["1.23456789012346e+18", "4711"], True, id="15 digits"),
        pytest.param(["1.23457E+11", "0.5"], False, id="measurements"),
        pytest.param(["123456789012", "4711"], False, id="whole ids"),
    ],
)
def test_long_numbers_that_a_spreadsheet_has_shortened_are_told(
    cells: list[str], is_told: bool
) -> None:
    doubts = queried("x,n\n" + "".join(f"{cell},a\n" for cell in cells), "from t")[
        "doubts"
    ]

    assert ("a spreadsheet has shortened" in str(doubts)) == is_told


@pytest.mark.parametrize(
    ("cells", "is_told"),
    [
        pytest.param(["11.2023", "2.2024"], True, id="months"),
        pytest.param(["11.2023", "13.2024"], False, id="no month"),
        pytest.param(["11.2023", "2.5"], False, id="numbers"),
    ],
)
def test_numbers_that_may_be_months_are_told(cells: list[str], is_told: bool) -> None:
    doubts = queried("x,n\n" + "".join(f"{cell},a\n" for cell in cells), "from t")[
        "doubts"
    ]

    assert ("'11.2023' may be a month" in str(doubts)) == is_told


@pytest.mark.parametrize(
    ("cells", "example"),
    [
        pytest.param([" Ada ", " Bob "], " Ada ", id="blanks around all"),
        pytest.param(["Paris", "Paris "], "Paris ", id="blank at the end"),
        pytest.param(["New York", "New\u00a0York"], "New\u00a0York", id="wide blank"),
        pytest.param(["M\u00fcller", "Mu\u0308ller"], "Mu\u0308ller", id="two signs"),
        pytest.param(["A1", "A1\u200b"], "A1\u200b", id="no width"),
    ],
)
def test_texts_that_only_look_equal_are_told(cells: list[str], example: str) -> None:
    text = "x,n\n" + "".join(f"{cell},5\n" for cell in cells)

    note = (
        f"x has blanks or other signs that nobody sees, as in {example!r}: "
        "texts that look equal may differ"
    )
    told = queried(text, "select count(*) from t where x = 'Paris'")["told"]
    assert isinstance(told, list)
    assert told[1:] == [f"/a.csv: {note}"]
    for sql in (
        "select x, count(*) from t group by x",
        "select distinct x from t",
        "select count(distinct x) from t",
    ):
        assert queried(text, sql)["doubts"] == [f"/a.csv: {note}"]
    assert queried(text, "from t")["doubts"] == []


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["New York", "Paris"], id="blanks between words"),
        pytest.param(["M\u00fcller", "Miller"], id="letters"),
        pytest.param(["Paris", "paris"], id="capitals"),
    ],
)
def test_texts_that_look_different_are_not_told(cells: list[str]) -> None:
    text = "x,n\n" + "".join(f"{cell},5\n" for cell in cells)

    assert queried(text, "select distinct x from t")["doubts"] == []


def test_every_column_is_told_with_the_number_of_its_cells() -> None:
    text = "id;amount;day;name\n1;1,50;31.12.25;Ada\n2;-;;Bob\n3;;1.1.26;\n"

    result = queried(text, "select * from t")

    assert result["forms"] == {
        "id": "numbers: 3 of 3 cells",
        "amount": "numbers, decimal comma: 1 of 3 cells; empty ('-'): 2",
        "day": "dates, day first, shown as year-month-day, "
        "years of two digits are 1969 to 2068: 2 of 3 cells; empty: 1",
        "name": "text: 2 of 3 cells; empty: 1",
    }


def test_step_is_told_of_the_columns_that_a_query_uses() -> None:
    result = queried("a,b,c\n1,x,5\n", "select max(a) from t where b = 'x'")

    assert result["told"] == [
        "/a.csv: a = numbers: 1 of 1 cells | b = text: 1 of 1 cells"
    ]


def test_dates_with_a_word_among_them_are_told() -> None:
    """The greatest text of such a column is no date."""
    text = "x,n\n2025-01-31,a\n2025-02-01,b\npending,c\n"

    result = queried(text, "select max(x) as x from t")

    note = "text, as 'pending' is no date: 1 of 3 cells"
    assert result["told"] == [f"/a.csv: x = {note}"]
    assert result["doubts"] == [f"/a.csv: x is {note}"]


def test_error_of_a_sum_tells_why_a_column_is_text() -> None:
    with pytest.raises(CallError, match="x = text, as '007' is a code: 1 of 1 cells"):
        queried("x,n\n007,a\n", "select sum(x) from t")


def test_numbers_with_a_word_among_them_are_told() -> None:
    """A query of `x` is refused, and one of another column tells, too."""
    result = queried("x,n\n5,a\n7,b\nmany,c\n", "select n from t")

    assert isinstance(result["doubts"], list)
    (doubt,) = result["doubts"]

    assert str(doubt).startswith(
        "/a.csv: x is not certain, as 'many' is no number: 1 of 3 cells;"
    )


def test_few_numbers_among_words_are_no_doubt() -> None:
    text = "x,n\n" + "Berlin,a\n" * 9 + "7,b\n"

    assert queried(text, "select max(x) as x from t")["doubts"] == []


def test_dates_of_different_forms_are_told() -> None:
    text = "x,n\n2025-01-31,a\n01.02.2025,b\n"

    result = queried(text, "select max(x) as x from t")

    assert "x is text, as its dates have different forms" in str(result["doubts"])


@pytest.mark.parametrize(
    ("cells", "least", "greatest"),
    [
        pytest.param(["9 kg", "10 kg"], "10 kg", "9 kg", id="units"),
        pytest.param(["Room 9", "room 10"], "Room 9", "room 10", id="names"),
        pytest.param(["9:30", "10:15"], "10:15", "9:30", id="times"),
        pytest.param(["9:30 PM", "8:15 AM"], "8:15 AM", "9:30 PM", id="halves of days"),
        pytest.param(["1.9.2", "1.10.0", "10.0.1"], "1.10.0", "10.0.1", id="versions"),
        pytest.param(["12/2025", "01/2026"], "01/2026", "12/2025", id="months"),
        pytest.param(
            ["Mar 2025", "Jan 2026"], "Jan 2026", "Mar 2025", id="names of months"
        ),
        pytest.param(["007", "12", "n/a"], "007", "12", id="codes"),
        pytest.param(["5 mg", "0.5 g"], "0.5 g", "5 mg", id="different units"),
        pytest.param(["800 MB", "1.5 GB"], "1.5 GB", "800 MB", id="units as long"),
        pytest.param(["9.75 s", "12.5 s"], "12.5 s", "9.75 s", id="numbers as long"),
        pytest.param(
            ["2025-03-10 12:00 IST", "2025-03-10 13:00 CST"],
            "2025-03-10 12:00 IST",
            "2025-03-10 13:00 CST",
            id="zones of several countries",
        ),
        pytest.param(["Q4 2023", "Q1 2024"], "Q1 2024", "Q4 2023", id="quarters"),
        pytest.param(["Jan 5", "Feb 1"], "Feb 1", "Jan 5", id="days without a year"),
        pytest.param(["24.12.", "2.1."], "2.1.", "24.12.", id="days with points"),
        pytest.param(
            ["令和6年1月5日", "平成31年4月30日"],
            "令和6年1月5日",
            "平成31年4月30日",
            id="eras",
        ),
        pytest.param(
            ["31 12 2024", "01 01 2025"], "01 01 2025", "31 12 2024", id="blanks"
        ),
    ],
)
@pytest.mark.parametrize(
    "sql",
    [
        "select max(x) from t",
        "select x from t where x > '1'",
        "select n from t order by x",
    ],
)
def test_order_of_texts_that_misleads_is_told(
    cells: list[str], least: str, greatest: str, sql: str
) -> None:
    text = "x,n\n" + "".join(f"{cell},a\n" for cell in cells)

    result = queried(text, sql)

    note = (
        "x is text, whose order is not that of its numbers or dates: "
        f"{least!r} is the least, and {greatest!r} the greatest"
    )
    assert result["doubts"] == [f"/a.csv: {note}"]
    assert f"/a.csv: {note}" in result["told"]
    assert queried(text, "select x from t")["doubts"] == []


def test_order_of_texts_that_is_as_it_seems_is_not_told() -> None:
    text = "x,n\n09:30,a\n10:15,b\n"

    assert queried(text, "select max(x) from t")["doubts"] == []


def test_hours_and_minutes_can_be_added_up_by_their_seconds() -> None:
    """7:30 and 26:15 are 33:45, which is 121,500 s. Nobody knows if 7:30 is a time or a duration."""
    text = "x,n\n7:30,a\n26:15,b\n,c\n"

    result = queried(text, "select * from t")

    note = 'text of times, in seconds: epoch("x"::interval): 2 of 3 cells; empty: 1'
    assert result["forms"] == {"x": note, "n": "text: 3 of 3 cells"}
    assert column(text, 'select sum(epoch("x"::interval)) as x from t') == [121500]


def test_digits_of_persian_are_numbers() -> None:
    assert column("x,n\n۱۲,a\n۳,b\n") == [12, 3]


# Stamps: dates with times, which are compared as instants.


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        # As texts, 10:00+02:00 is after 09:30Z, but it is an hour and a half before it.
        pytest.param(
            ["2025-01-31T10:00:00+02:00", "2025-01-31T09:30Z"],
            "2025-01-31 09:30:00+00:00",
            id="offsets",
        ),
        pytest.param(
            ["31.1.25 10:00 MEZ", "31.1.25 10:00 GMT"],
            "2025-01-31 10:00:00+00:00",
            id="zones",
        ),
        pytest.param(
            ["2025-01-31 10:00Z", "2025-01-31 09:30:30Z"],
            "2025-01-31 10:00:00+00:00",
            id="all in UTC",
        ),
        pytest.param(
            ["2025-10-26T02:30:00+0200", "2025-10-26T02:10:00+0100"],
            "2025-10-26 01:10:00+00:00",
            id="end of summer time",
        ),
        pytest.param(
            ["2025-01-31T10:00:00+02:00", "2025-01-31T09:30+02:00"],
            "2025-01-31 10:00:00",
            id="one offset",
        ),
        pytest.param(
            ["1/31/25 3:45 PM", "1/31/25 11:00 AM"], "2025-01-31 15:45:00", id="halves"
        ),
        pytest.param(
            ["12/31/25 12:10 AM", "12/30/25 12:15 PM"],
            "2025-12-31 00:10:00",
            id="midnight and noon",
        ),
        pytest.param(
            ["31.12.2024 um 9:30 Uhr", "31.12.2024 10:05"],
            "2024-12-31 10:05:00",
            id="German",
        ),
        pytest.param(
            ["2025-01-31", "2025-01-30 23:00"], "2025-01-31 00:00:00", id="some times"
        ),
        pytest.param(
            ["20240131T101500Z", "20240131T0915Z"],
            "2024-01-31 10:15:00+00:00",
            id="compact",
        ),
        pytest.param(
            ["Wed Jan 31 10:00:00 2024", "Thu Feb  1 09:00:00 2024"],
            "2024-02-01 09:00:00",
            id="printed",
        ),
        pytest.param(
            ["31/Dec/2023:23:59:59 +0000", "01/Jan/2024:00:10:00 +0000"],
            "2024-01-01 00:10:00+00:00",
            id="log of a server",
        ),
    ],
)
def test_stamps_are_compared_as_instants(cells: list[str], expected: str) -> None:
    text = "x,n\n" + "".join(f"{cell},a\n" for cell in cells)

    result = queried(text, "select max(x) as x from t")

    assert result["rows"] == [{"x": expected}]
    assert result["doubts"] == []
    assert "times" in str(result["forms"]) or "instants" in str(result["forms"])


def test_stamps_of_which_some_have_no_offset_are_told() -> None:
    text = "x,n\n2025-01-31T10:00:00+02:00,a\n2025-01-31T09:30:00,b\n"

    result = queried(text, "select max(x) as x from t")

    assert "x is text, as 1 of 2 cells have no offset from UTC" in str(result["doubts"])


def test_stamps_are_compared_with_a_time_that_has_an_offset() -> None:
    text = "x,n\n2025-01-31T10:00:00+02:00,a\n2025-01-31T09:30Z,b\n"
    sql = "select x from t where x < '2025-01-31T10:00:00+01:00'"

    assert column(text, sql) == ["2025-01-31 08:00:00+00:00"]


@pytest.mark.parametrize(
    ("where", "is_told"),
    [
        ("x <= '2025-01-31'", True),
        ("x between '2025-01-01' and '2025-01-31'", True),
        ("x = date '2025-01-31'", True),
        ("x >= '2025-01-31'", False),
        ("x < '2025-02-01'", False),
        ("x <= '2025-01-31 23:59:59'", False),
        ("cast(x as date) <= '2025-01-31'", False),
    ],
)
def test_day_that_is_compared_with_times_is_told(where: str, *, is_told: bool) -> None:
    """The times of the last day are later than its midnight, and would be missed."""
    text = "x,n\n2025-01-30 10:00,a\n2025-01-31 11:00,b\n"

    told = queried(text, f"select n from t where {where}")["told"]

    note = "x has times: '2025-01-31' is the midnight at which that day begins"
    assert isinstance(told, list)
    assert (f"/a.csv: {note}" in told) == is_told


def test_day_is_compared_with_times_that_are_all_at_midnight() -> None:
    text = "x,n\n2025-01-30 00:00,a\n2025-01-31 00:00,b\n"

    assert queried(text, "from t where x <= '2025-01-31'")["doubts"] == []


def test_time_with_an_offset_is_refused_for_stamps_that_are_read_without_it() -> None:
    """DuckDB would leave out the offset, and compare 10:00 with 09:00."""
    text = "x,n\n2025-01-31T10:00:00+02:00,a\n2025-01-31T09:30+02:00,b\n"

    with pytest.raises(CallError, match=r"the times of x are all at \+02:00"):
        queried(text, "select x from t where x < '2025-01-31T09:00:00Z'")
    assert column(text, "select x from t where x < '2025-01-31 10:00'") == [
        "2025-01-31 09:30:00"
    ]


@pytest.mark.parametrize(
    "cell", ["2025-02-30", "31.13.2025", "2025-01-31 25:00", "2025-01-31 10:00 XYZ"]
)
def test_dates_that_do_not_exist_stay_texts(cell: str) -> None:
    assert column(f"x,n\n{cell},a\n2025-01-01,b\n") == [cell, "2025-01-01"]


# Numbers as people and programs write them.


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param(["12,34,567.50", "1.00"], [1234567.5, 1], id="Indian groups"),
        pytest.param(["(5.25)", "7.00"], [-5.25, 7], id="parentheses"),
        pytest.param(["1234.50-", "7.00"], [-1234.5, 7], id="minus behind"),
        pytest.param(["5.–", "7.50"], [5, 7.5], id="price without cents"),
        pytest.param(["１２３", "４５"], [123, 45], id="wide digits"),
        pytest.param(["٣٤", "١٢"], [34, 12], id="Arabic digits"),
        pytest.param(["5 eur", "EUR 7"], [5, 7], id="currency in small letters"),
        pytest.param(["kr 5.50", "7 kr."], [5.5, 7], id="name of a currency"),
        pytest.param(["US$5.25", "US$ 7"], [5.25, 7], id="dollars of a country"),
        pytest.param(["$ (5.25)", "$7.25"], [-5.25, 7.25], id="sign and parentheses"),
        pytest.param(["–5.50", "7"], [-5.5, 7], id="dash"),
        pytest.param(
            ["1\u00a0234.50\u00a0€", "2 €"], [1234.5, 2], id="no-break groups"
        ),
        pytest.param(["\u00a05.50\u00a0", "7"], [5.5, 7], id="no-break spaces"),
        pytest.param(
            ["20261018", "20261019"], [20261018, 20261019], id="compact dates"
        ),
    ],
)
def test_numbers_are_read_as_they_are_written(
    cells: list[str], expected: list[float]
) -> None:
    text = "x;n\n" + "".join(f"{cell};a\n" for cell in cells)

    assert column(text, form="decimal point") == expected


def test_text_that_is_written_as_a_formula_is_a_text() -> None:
    assert column('x,n\n="007",a\n="12",b\n', "select x from t where x = '007'") == [
        "007"
    ]


def test_currency_of_some_cells_is_told() -> None:
    forms = queried("x,n\n5 €,a\n7,b\n", "from t")["forms"]

    assert "numbers, €, without in 1 cells" in str(forms)


def test_numbers_like_dates_are_told() -> None:
    """Their difference is no number of days."""
    forms = queried("x,n\n20261018,a\n20261019,b\n", "from t")["forms"]

    assert "numbers, written like the date 20261018" in str(forms)


def test_number_that_no_float_holds_stays_a_text() -> None:
    assert column("x,n\n1.0E400,a\n3,b\n") == ["1.0E400", "3"]


def test_percent_signs_in_some_cells_are_told() -> None:
    """5 % and 0.05 may be the same."""
    doubts = queried("x,n\n5%,a\n0.05,b\n", "from t")["doubts"]

    assert doubts == ["/a.csv: x has % in some cells, and none in 1"]


@pytest.mark.parametrize(
    "where", ["x > 5", "x between 5 and 7", "x in (5, 6)", "5 < x"]
)
def test_text_is_not_compared_with_numbers(where: str) -> None:
    with pytest.raises(CallError, match="x is text"):
        queried("x,n\n007,a\n12,b\n", f"select * from t where {where}")


# A row of totals below the amounts, which a sum over the column would count, too.


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        pytest.param("x,n\n10,a\n20,b\n30,Total\n", 4, "Total", id="last cell"),
        pytest.param("n,x\nbolt,10\nnut,20\nTotal,30\n", 4, "Total", id="English"),
        pytest.param("n;x\nA;1,50\nB;2,50\nSumme:;4,00\n", 4, "Summe:", id="German"),
        pytest.param("n,x\nA,1\nB,2\n合計,9\n", 4, "合計", id="Japanese"),
        pytest.param("n,x\nA,1\nB,2\nTotal (EUR),3\n", 4, "Total (EUR)", id="unit"),
        pytest.param("n,x\nA,1\nB,2\nTotal for 2025,3\n", 4, "Total for 2025", id="of"),
        pytest.param("n,x\nTotal,6\nA,1\nB,2\nC,3\n", 2, "Total", id="first row"),
        pytest.param("n,x\nA,1\nB,2\nTOTAL,3\nNote: net,\n", 4, "TOTAL", id="footnote"),
        pytest.param("n,x\nA,1\nB,3\nAverage,2\n", 4, "Average", id="mean"),
        pytest.param("n,x\nA,1\nB,2\nNet total,3\n", 4, "Net total", id="net"),
        pytest.param("n,x\nA,1\nB,2\n**Total**,3\n", 4, "**Total**", id="marked"),
        pytest.param("n,x\nA,10\nB,20\n,30\n", 4, "", id="without a name"),
        pytest.param("n,x\nA,1\nSous-total,1\nB,2\nC,3\n", 3, "Sous-total", id="part"),
        pytest.param("n,x\nA,0.1\nB,0.2\nC,0.4\n,0.7\n", 5, "", id="only sums"),
        pytest.param("n,x\nA,1\nB,2\nC,3\nAlle,6\nNote,\n", 5, "", id="sums, footnote"),
        pytest.param(
            "n,x\nAll regions,3\nA,1\nB,2\n", 2, "All regions", id="all, first row"
        ),
        pytest.param("n,x\nWorld,9\nA,1\nB,2\nC,6\n", 2, "", id="sum in the first row"),
        pytest.param(
            "n,x\nA,1\nB,2\nSubtotal North,3\nC,4\n", 4, "Subtotal North", id="part of"
        ),
    ],
)
def test_row_of_totals_is_told(text: str, line: int, name: str) -> None:
    result = queried(text, "select sum(x) as s from t")

    shown_name = f" ({name!r})" if name else ""
    doubt = f"line {line}{shown_name} may be totals: a sum over x counts them, too"
    assert result["doubts"] == [f"/a.csv: {doubt}"]
    assert f"/a.csv: {doubt}" in result["told"]


def test_rows_of_totals_with_many_names_are_told_together() -> None:
    regions = "".join(
        f"a,{number}\nRegion {number} total,{number}\n" for number in range(1, 6)
    )

    (doubt,) = queried(f"n,x\n{regions}b,1\n", "select count(*) from t")["told"]

    assert doubt == (
        "/a.csv: lines 3, 5, 7 and 2 more ('Region 1 total') may be totals: "
        "a sum over x counts them, too"
    )


def test_rows_of_totals_are_told_together() -> None:
    text = "n,x\nA,1\nTotal,1\nB,2\nTotal,2\nC,5\nD,6\n"

    (doubt,) = queried(text, "from t")["doubts"]

    assert doubt.startswith("/a.csv: lines 3, 5 ('Total') may be totals")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("n,x\nA,1\nB,2\nC,3\n", id="count"),
        pytest.param("n,x\nTotal,1\nTotal,2\nTotal,4\nA,9\n", id="a kind of row"),
        pytest.param("n,x\nA,1\nB,2\nTotally new,3\n", id="other word"),
        pytest.param("n,x\nA,0\nB,0\nC,0\nD,0\n", id="zeros"),
        pytest.param("n,x\nA,many\nTotal,none\n", id="no numbers"),
    ],
)
def test_last_row_without_totals_is_not_told(text: str) -> None:
    assert queried(text, "from t")["doubts"] == []


# Amounts in several currencies, which stand in a column of their own.

AMOUNTS = "x,currency\n10.00,EUR\n20.00,USD\n5.00,EUR\n"


def test_sum_over_several_currencies_is_told() -> None:
    result = queried(AMOUNTS, "select sum(x) as s from t")

    doubt = "/a.csv: currency has EUR and USD: a sum over all rows mixes them"
    assert result["doubts"] == [doubt]
    assert isinstance(result["told"], list)
    assert doubt in result["told"]


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(x) from t where currency = 'EUR'",
        "select currency, sum(x) from t group by currency",
        "select max(x) from t",
    ],
)
def test_query_that_does_not_mix_currencies_is_not_told(sql: str) -> None:
    assert queried(AMOUNTS, sql)["doubts"] == []


@pytest.mark.parametrize(
    ("labels", "column_name", "shown"),
    [
        pytest.param(["kg", "t", "kg"], "q", "kg and t", id="masses"),
        pytest.param(["C", "F", "C"], "scale", "C and F", id="temperatures"),
        pytest.param(
            ["mmol/L", "mg/dL", "mmol/L"], "unit", "mg/dL and mmol/L", id="laboratory"
        ),
        pytest.param(
            ["Stk", "Karton", "Stk"], "Einheit", "Karton and Stk", id="packages"
        ),
    ],
)
def test_sum_over_several_units_is_told(
    labels: list[str], column_name: str, shown: str
) -> None:
    text = f"x,{column_name}\n" + "".join(f"5,{label}\n" for label in labels)

    assert queried(text, "select sum(x) from t")["doubts"] == [
        f"/a.csv: {column_name} has {shown}: a sum over all rows mixes them"
    ]
    by_unit = f"select {column_name}, sum(x) from t group by all"
    assert queried(text, by_unit)["doubts"] == []


@pytest.mark.parametrize(
    ("labels", "column_name"),
    [
        pytest.param(["M", "F", "M"], "sex", id="sexes"),
        pytest.param(["S", "M", "L"], "size", id="sizes"),
        pytest.param(["Sales", "HR"], "unit", id="parts of a company"),
        pytest.param(["2/3", "1/2"], "share", id="fractions"),
    ],
)
def test_labels_that_are_no_units_are_not_told(
    labels: list[str], column_name: str
) -> None:
    text = f"x,{column_name}\n" + "".join(f"5,{label}\n" for label in labels)

    assert queried(text, "select sum(x) from t")["doubts"] == []


@pytest.mark.parametrize(
    ("labels", "pair"),
    [
        pytest.param(["H", "S", "S"], "S and H", id="letters"),
        pytest.param(["Debit", "Credit", "Fee"], "Debit and Credit", id="words"),
        pytest.param(["IN", "OUT", "IN"], "IN and OUT", id="stock"),
    ],
)
def test_sum_of_amounts_whose_sign_stands_beside_them_is_told(
    labels: list[str], pair: str
) -> None:
    text = "x,flag\n" + "".join(f"5,{label}\n" for label in labels)

    assert queried(text, "select sum(x) from t")["doubts"] == [
        f"/a.csv: flag has {pair}: a sum over all rows adds both, as no number is below zero"
    ]
    assert queried(text, "select sum(x) from t where flag = 'S'")["doubts"] == []
    # Amounts that have their signs are right.
    signed = "x,flag\n5,credit\n-3,debit\n"
    assert queried(signed, "select sum(x) from t")["doubts"] == []


@pytest.mark.parametrize(
    ("cells", "filler"),
    [
        pytest.param([12.5, 80.2, 0, -99999.0], "-99999", id="radiation"),
        pytest.param([152, 101, -12, -8888, -9999], "-9999", id="below zero"),
        pytest.param([4, 6, -99, 25], "-99", id="two nines"),
        pytest.param([45.2, 46.1, 9999.9, 44], "9999.9", id="high"),
        pytest.param([34, 45, 999, 28, 999], "999", id="ages"),
    ],
)
def test_number_for_missing_values_is_told(cells: list[float], filler: str) -> None:
    text = "x,n\n" + "".join(f"{cell},a\n" for cell in cells)

    result = queried(text, "select avg(x) from t")

    doubt = f"/a.csv: x has {filler}, which may stand for a missing value"
    assert result["doubts"] == [doubt]
    assert isinstance(result["told"], list)
    assert doubt in result["told"]


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param([999, 899, 1299, 999, 450], id="prices"),
        pytest.param([9.99, 12.49, 19.99, 999.99], id="a high price"),
        pytest.param([99, 120, 300, -99], id="a refund"),
        pytest.param([-45, 120, 300, -99], id="payments"),
        pytest.param([997, 998, 999, 1000], id="a count"),
    ],
)
def test_nines_among_numbers_like_them_are_not_told(cells: list[float]) -> None:
    text = "x,n\n" + "".join(f"{cell},a\n" for cell in cells)

    assert queried(text, "select avg(x) from t")["doubts"] == []


@pytest.mark.parametrize(
    ("cells", "example"),
    [
        pytest.param(["18/09/2563", "19/09/2563"], "18/09/2563", id="since Buddha"),
        pytest.param(["1403-01-15", "1402-12-20"], "1402-12-20", id="since the Hijra"),
        pytest.param(["2024-01-05", "9999-12-31"], "9999-12-31", id="no end"),
    ],
)
def test_years_of_other_calendars_are_told(cells: list[str], example: str) -> None:
    text = "x,n\n" + "".join(f"{cell},a\n" for cell in cells)

    assert queried(text, "select max(x) from t")["doubts"] == [
        f"/a.csv: x has {example!r}, which may be of another calendar, or no real date"
    ]
    assert queried("x,n\n1346-08-26,a\n1945-05-08,b\n", "from t")["doubts"] == []


def test_columns_of_fixed_width_are_told() -> None:
    text = "STATION    TMAX\n00012345    5.2\n00098765   -0.3\n"

    assert queried(text, "from t")["doubts"] == [
        "/a.csv: the lines look like columns of fixed width, which are read as one column"
    ]
    assert queried("name\nGraz  Nord\nLinz\n", "from t")["doubts"] == []


# Money adds up: the numbers of a column with few decimals are decimals, not floats.

THOUSAND_AMOUNTS = "n;x\n" + "".join(
    f"a;{number},{number % 100:02}\n" for number in range(1_000)
)


@pytest.mark.parametrize(
    ("text", "sql", "expected"),
    [
        pytest.param("n,x\na,0.10\nb,0.20\n", "sum(x)", 0.3, id="point"),
        pytest.param("n;x\na;0,10\nb;0,20\n", "sum(x)", 0.3, id="comma"),
        pytest.param(
            "n,x\na,12345678901.10\nb,0.20\n", "sum(x)", 12345678901.3, id="large"
        ),
        pytest.param(
            "n,x\na,0.1\nb,0.2\nc,0.33333\n", "sum(x)", 0.63333, id="five decimals"
        ),
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
