import pytest

from toolkit.text import relative_date

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
    ],
)
def test_a_day_is_counted_from_the_clock(text, date):
    assert relative_date(text, CLOCK) == date
