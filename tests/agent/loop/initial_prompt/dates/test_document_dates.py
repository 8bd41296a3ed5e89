"""From when until when a document is in force, by its name or the fields at its top.

`/docs/news/2031-05-11-calls.md` is in force from the 11th of May 2031 on. A day begins at another
time in each time zone, so `DocumentDates` says in which zone the days of documents count.
"""

from datetime import UTC, datetime

import pytest

from controlplane.agent.retrieval.document_search.document_dates import period_of
from controlplane.sandbox.interface import DocumentDates


@pytest.mark.parametrize(
    ("zone", "validity"),
    [
        # At 23:30 in Greenwich, it is still the 10th there and west of it.
        ("+00:00", "not begun"),
        ("-05:00", "not begun"),
        # It is the 11th east of Greenwich.
        ("+01:00", "begun"),
        ("Europe/Amsterdam", "begun"),
        ("", "begun or not: in which zone its day counts is not known"),
    ],
)
def test_the_zone_decides_whether_the_day_in_a_name_has_begun(
    zone: str, validity: str
) -> None:
    dates = DocumentDates(zone=zone, in_names=True)

    period = period_of(dates, "/docs/news/2031-05-11-calls.md", "")

    assert period.validity(datetime(2031, 5, 10, 23, 30, tzinfo=UTC)) == validity


@pytest.mark.parametrize(
    ("field", "validity"),
    [
        ("valid_from: 2031-06-01", "not begun"),
        ("valid_until: 2031-05-01", "ended"),
        # It is the last half hour of this day.
        ("valid_until: 2031-05-10", "begun"),
        # This is 23:00 in Greenwich.
        ("valid_from: 2031-05-11T00:00:00+01:00", "begun"),
    ],
)
def test_a_field_at_the_top_says_from_when_or_until_when(
    field: str, validity: str
) -> None:
    dates = DocumentDates(
        zone="Z", from_keys=("valid_from",), until_keys=("valid_until",)
    )

    period = period_of(dates, "/docs/carts.md", f"---\n{field}\n---\nCarts are free.")

    assert period.validity(datetime(2031, 5, 10, 23, 30, tzinfo=UTC)) == validity
