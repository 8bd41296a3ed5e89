"""Dates that a request counts from today: "the date in 10 days, YYYY-MM-DD" -> `2027-03-11`.

Today is what the shop's clock prints. A date is only counted if the request is clear about the day
and about the format; otherwise a model has to read it.
"""

import pytest

from controlplane.benchmarks.shop.requests.request_dates import relative_date

CLOCK = "2027-03-01T10:00:00Z\n"
"""What the shop's tool for the time prints."""


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
        ("twelve days from today, YYYY-MM-DD", "2027-03-13"),
        ("a fortnight from now, DD/MM/YYYY", "15/03/2027"),
        ("10 days back, YYYY-MM-DD", "2027-02-19"),
        ("one week hence, YYYY-MM-DD", "2027-03-08"),
    ],
)
def test_a_date_is_counted_from_today_and_written_as_asked_for(text, date):
    """Today is 1 March 2027. The request shows the format."""
    assert relative_date(text, CLOCK) == date


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("tomorrow as DD-MM-YYYY or YYYY-MM-DD", id="two formats"),
        pytest.param("in 10 days or in 11 days, YYYY-MM-DD", id="two dates"),
        pytest.param("in some days, YYYY-MM-DD", id="no number"),
        pytest.param("in 10 days", id="no format"),
        pytest.param("twenty-one days from today, YYYY-MM-DD", id="two number words"),
        pytest.param("two months from today, YYYY-MM-DD", id="months"),
        pytest.param("a week tomorrow, YYYY-MM-DD", id="a week from tomorrow"),
        pytest.param("3 days after tomorrow, YYYY-MM-DD", id="days from tomorrow"),
        pytest.param("not tomorrow but the day after, YYYY-MM-DD", id="the day after"),
    ],
)
def test_an_ambiguous_date_is_not_counted(text):
    """A person, or a model, has to read such a request."""
    assert relative_date(text, CLOCK) is None
