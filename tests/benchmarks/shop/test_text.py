"""Words, numbers, dates, entries of documents, yes and no; marks of documents, tables, forms of values."""

import pytest

from benchmarks.shop.text import relative_date

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
