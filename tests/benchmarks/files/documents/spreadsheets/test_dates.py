"""Dates of a spreadsheet as texts: year first, so that queries can compare them.

A time that is not midnight is written, too, even if the format of the cell hides it.
`cell_text(date(2026, 1, 5), "dd.mm.yyyy")` is `2026-01-05`.
"""

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from controlplane.benchmarks.files.documents.spreadsheets import cell_text


@pytest.mark.parametrize(
    ("value", "number_format", "expected_text"),
    [
        pytest.param(datetime(2026, 1, 5), "yyyy-mm-dd", "2026-01-05", id="day"),
        pytest.param(date(2026, 1, 5), "dd.mm.yyyy", "2026-01-05", id="German day"),
        pytest.param(
            datetime(2026, 1, 5),
            "dd.mm.yyyy hh:mm",
            "2026-01-05 00:00",
            id="midnight",
        ),
        pytest.param(
            datetime(2026, 2, 9, 14, 30),
            "dd.mm.yyyy",
            "2026-02-09 14:30",
            id="time that the format hides",
        ),
        pytest.param(
            datetime(2026, 2, 9, 14, 29, 59, 999_999),
            "m/d/yy h:mm",
            "2026-02-09 14:30",
            id="time just below a minute",
        ),
        pytest.param(time(7, 30), "h:mm", "07:30", id="time"),
        pytest.param(time(7, 30), "h:mm:ss", "07:30:00", id="time with seconds"),
        pytest.param(timedelta(hours=26, minutes=5), "[h]:mm", "26:05", id="duration"),
        pytest.param(
            timedelta(hours=26, minutes=5),
            "[hh]:mm:ss",
            "26:05:00",
            id="duration with seconds",
        ),
        pytest.param(timedelta(hours=-1), "[h]:mm", "-01:00", id="negative duration"),
        # Files count days from 1899-12-31 on, so this is a day, 2 hours and 5 minutes.
        pytest.param(
            datetime(1900, 1, 1, 2, 5),
            "h:mm",
            "26:05",
            id="duration that the file stores as a date",
        ),
    ],
)
def test_dates_are_written_year_first_and_times_as_their_format_says(
    value: Any, number_format: str, expected_text: str
) -> None:
    assert cell_text(value, number_format) == expected_text
