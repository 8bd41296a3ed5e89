"""Whether a document is in force, by the day in its name or by the fields at its top.

`/docs/news/2031-05-11-calls.md` is in force from the 11th of May 2031 on. A day begins at another
time in each time zone, so `DocumentDates` has the zone of the documents. Here, it is always half an hour
before the 11th begins in Greenwich (`NOW`).
"""

from datetime import UTC, datetime

import pytest

from controlplane.agent.retrieval.document_search import period_of
from controlplane.sandbox.interface import DocumentDates

NOW = datetime(2031, 5, 10, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "validity"),
    [
        pytest.param("+00:00", "not begun", id="in Greenwich"),
        pytest.param("-05:00", "not begun", id="west of Greenwich"),
        pytest.param("+01:00", "begun", id="east of Greenwich"),
        pytest.param("Europe/Amsterdam", "begun", id="place east of Greenwich"),
        pytest.param(
            "",
            "begun or not: in which zone its day counts is not known",
            id="unknown zone",
        ),
    ],
)
def test_the_zone_decides_whether_the_day_in_a_name_has_begun(
    zone: str, validity: str
) -> None:
    dates = DocumentDates(zone=zone, in_names=True)  # Names have the first day.

    period = period_of(dates, "/docs/news/2031-05-11-calls.md", text="")

    assert period.validity(NOW) == validity


@pytest.mark.parametrize(
    ("field", "validity"),
    [
        pytest.param("valid_from: 2031-06-01", "not begun", id="later first day"),
        pytest.param("valid_until: 2031-05-01", "ended", id="earlier last day"),
        # "begun" also stands for a document without a first day.
        pytest.param("valid_until: 2031-05-10", "begun", id="end of the last day"),
        pytest.param(
            "valid_from: 2031-05-11T00:00:00+01:00",
            "begun",
            id="since 23:00 in Greenwich",
        ),
    ],
)
def test_a_field_at_the_top_says_from_when_or_until_when(
    field: str, validity: str
) -> None:
    dates = DocumentDates(
        zone="+00:00", from_keys=("valid_from",), until_keys=("valid_until",)
    )

    text = f"---\n{field}\n---\nCarts are free."
    period = period_of(dates, "/docs/carts.md", text)

    assert period.validity(NOW) == validity
