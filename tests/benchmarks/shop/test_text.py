"""Words, numbers, dates, entries of documents, yes and no; marks of documents, tables, forms of values."""

import pytest

from benchmarks.shop.layout import (
    columns_called,
    table_rows,
)
from benchmarks.shop.text import relative_date, yes_no_pair

CLOCK = "2027-03-01T10:00:00Z\n"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("the date in 10 days, YYYY-MM-DD", "2027-03-11"),
        ("the date in a week as DD-MM-YYYY", "08-03-2027"),
        ("which date was 3 days ago? MM/DD/YYYY", "02/26/2027"),
        ("2 weeks from today: YYYY-MM-DD", "2027-03-15"),
        ("one day ago, YYYY-MM-DD", "2027-02-28"),
        ("in two days, YYYY-MM-DD", "2027-03-03"),
        ("the date three weeks ago, DD.MM.YYYY", "08.02.2027"),
        ("tomorrow as DD-MM-YYYY or YYYY-MM-DD", None),
        ("in 10 days or in 11 days, YYYY-MM-DD", None),
        ("in some days, YYYY-MM-DD", None),
        ("in 10 days", None),
        ("twelve days from today, YYYY-MM-DD", "2027-03-13"),
        ("a fortnight from now, DD/MM/YYYY", "15/03/2027"),
        ("10 days back, YYYY-MM-DD", "2027-02-19"),
        ("one week hence, YYYY-MM-DD", "2027-03-08"),
        ("twenty-one days from today, YYYY-MM-DD", None),
        ("two months from today, YYYY-MM-DD", None),
        ("a week tomorrow, YYYY-MM-DD", None),
        ("3 days after tomorrow, YYYY-MM-DD", None),
        ("not tomorrow but the day after, YYYY-MM-DD", None),
    ],
)
def test_a_day_is_counted_from_the_clock(text, date):
    assert relative_date(text, CLOCK) == date


@pytest.mark.parametrize(
    ("rules", "pair"),
    [
        ("- Whether something is\n  so: `AYE`, or `NAY`.", None),
        ("- If it is so the message is `AYE`, if it\n  is not, `NAY`.\n- See `/docs/a.md`.", ("AYE", "NAY")),
        ("For yes write `1`, for no write `0`; `OUTCOME_OK` goes with both.", ("1", "0")),
        ("For no write `0` and for yes `1`.", None),
        ("Yes/no: `ja` (yes) or `nein` (no).\n\nYes/no: `si` (yes) or `no` (no).", None),
        ("Say yes or no.", None),
        ("1) Look in `/docs`.\n2) Yes is `ja`, no is `nee`.", ("ja", "nee")),
        ("**Where.** Look in `/docs`.\n**What.** Yes is `ja`,\n  no is `nee`.", ("ja", "nee")),
    ],
)
def test_the_words_for_yes_and_no_stand_in_one_paragraph(rules, pair):
    assert yes_no_pair(rules) == pair


def test_a_table_is_read_by_the_words_of_its_headers():
    rows = table_rows("Lane_ID, from ,cost cents\na,b,3\n\nc,d,4\n")
    assert rows == [{"lane id": "a", "from": "b", "cost cents": "3"}, {"lane id": "c", "from": "d", "cost cents": "4"}]
    assert columns_called(rows, {"cost": ("price", "cost"), "start": ("from",)}) == {
        "cost": "cost cents",
        "start": "from",
    }
