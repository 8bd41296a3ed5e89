"""A report fits its window, on a phone and on a screen.

A report is one HTML file with a table of trials. `reports` are files about one run, about two, and
about runs with hostile texts. Otherwise the user of a phone would have to scroll sideways.
"""

import pytest

from tests.controlplane.report.browser.page_expressions import (
    NOTHING_SCROLLS_SIDEWAYS,
    TRIAL_IS_SHOWN,
)
from tests.controlplane.report.browser.report_pages import NARROW_WINDOW, WIDE_WINDOW
from tests.controlplane.report.browser.written_reports import Reports
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize("report", Reports._fields)
@pytest.mark.parametrize("width", [NARROW_WINDOW, WIDE_WINDOW])
def test_no_report_is_wider_than_its_window(
    page: Browser, reports: Reports, width: int, report: str
) -> None:
    """This holds for the table of trials and for the page of a trial. Otherwise the user of a
    phone would have to scroll sideways."""
    page.size(width)
    path = getattr(reports, report)

    page.open(path)
    page.wait(f"!({TRIAL_IS_SHOWN})")
    assert page.value(NOTHING_SCROLLS_SIDEWAYS)

    page.open(path, anchor="#trial-1-1")
    page.wait(TRIAL_IS_SHOWN)
    assert page.value(NOTHING_SCROLLS_SIDEWAYS)
