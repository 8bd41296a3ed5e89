"""A trial in a report, or a step of it, has an address of its own: `#trial-1-2/12`.

1-2 is the second trial of the first run, beta, and 12 its step. The table of trials and their pages are
one file, `reports.of_one_run`, and yet the browser's button "back" leads from one to the other.
"""

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.report_pages import (
    SUMMARY_IS_SHOWN,
    TITLE_OF_TRIAL,
)
from tests.controlplane.report.browser.written_reports import Reports
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def test_a_link_to_a_step_opens_the_trial_at_that_step(
    page: Browser, reports: Reports
) -> None:
    """In `#trial-1-2/12`, 1-2 is the second trial of the first run, beta, and 12 its step."""
    page.open(reports.of_one_run, anchor="#trial-1-2/12")

    page.wait("document.activeElement.id === 'step-12'")


def test_going_back_from_the_table_returns_to_the_trial(
    page: Browser, reports: Reports
) -> None:
    """The user presses the browser's own button, as if trial and table were pages of a site."""
    page.open(reports.of_one_run, anchor="#trial-1-2/12")
    page.value("location.hash = '#h-trials'")
    page.wait(SUMMARY_IS_SHOWN)
    page.value("history.back()")

    page.wait(f"{TRIAL_IS_SHOWN} && {TITLE_OF_TRIAL} === 'beta'")


def test_a_link_to_a_trial_that_does_not_exist_shows_the_table(
    page: Browser, reports: Reports
) -> None:
    """`#trial-9-9` would be the ninth trial of a ninth run; the report has one run."""
    page.open(reports.of_one_run, anchor="#trial-1-2/12")
    page.wait(TRIAL_IS_SHOWN)
    page.value("location.hash = '#trial-9-9'")

    page.wait(SUMMARY_IS_SHOWN)
