"""What tests in a real browser read from a report.

A report is one HTML file about recorded runs. It has a table of their trials, and the page of a
trial opens at an anchor: `report.html#trial-1-2` is the second trial of the first run. Tests
read it by expressions of JavaScript: `page.value(VISIBLE_TASKS)` -> `["alpha", "beta"]`.
"""

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.support.browser import Browser

WIDE_WINDOW = 1280
NARROW_WINDOW = 400
"""The width of a phone, in pixels, at which the rows of tables are laid out as cards."""

# Expressions of JavaScript.
VISIBLE_TASKS = """
    [...document.querySelectorAll('.trials tbody tr:not([hidden]) a')].map(link => link.textContent)
"""
"""The tasks in the visible rows of the table of trials, such as `["alpha", "beta"]`."""
TITLE_OF_TRIAL = "document.querySelector('#trial h1')?.textContent"
"""The task of the trial that is open."""
SUMMARY_IS_SHOWN = "!document.getElementById('summary').hidden"
"""True while the page shows the table of trials instead of a trial."""


def open_trial(page: Browser, anchor: str) -> None:
    """Go to the anchor of a trial, such as "trial-1-1", and wait until it is shown."""
    page.value(f"location.hash = {anchor!r}")
    page.wait(TRIAL_IS_SHOWN)
    page.wait(f"location.hash.startsWith('#{anchor}')")
    page.wait(f"document.title.includes({TITLE_OF_TRIAL})")
