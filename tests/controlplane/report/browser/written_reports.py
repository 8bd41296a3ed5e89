"""Reports for tests in a real browser: HTML files about one run, two runs, and hostile ones.

    reports = write_reports(folder)
    browser.open(reports.of_one_run)

The run has the trials alpha, beta, gamma and delta.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from controlplane.report.run_report import run_report
from tests.controlplane.report.hostile_journal import (
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
)
from tests.controlplane.report.listed_runs import RunningView, serving_view
from tests.support.browser import Browser

# What tests ask a page of `controlplane view`, or of a report, in a real browser.
#
#     page.wait(TRIAL_IS_SHOWN)
#     fill_in_field(page, "search", "alpha")
#     assert page.value(NOTHING_SCROLLS_SIDEWAYS)
#
# The constants are expressions of JavaScript.

TRIAL_IS_SHOWN = "!document.getElementById('trial').hidden"
"""True while the page shows a trial instead of the table of trials."""

NOTHING_SCROLLS_SIDEWAYS = """
    document.documentElement.scrollWidth <= innerWidth
    && [...document.querySelectorAll('body *')].every(
        element =>
            element.scrollWidth <= element.clientWidth + 1
            || !/auto|scroll/.test(getComputedStyle(element).overflowX)
    )
"""
"""True if the page fits its window, and each element that could scroll fits its content."""


def fill_in_field(page: Browser, field: str, value: str) -> None:
    """Set the value of a form field, as if the user had typed or chosen it.

    `fill_in_field(page, "search", "alpha")`: `field` is the id of the HTML element.
    """
    page.value(f"""
        (() => {{
            const element = document.getElementById({field!r});
            element.value = {value!r};
            element.dispatchEvent(new Event('input'));
        }})()
    """)


# What tests in a real browser read from a report.
#
# A report is one HTML file about recorded runs. It has a table of their trials, and the page of a
# trial opens at an anchor: `report.html#trial-1-2` is the second trial of the first run. Tests
# read it by expressions of JavaScript: `page.value(VISIBLE_TASKS)` -> `["alpha", "beta"]`.

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
    page.wait(f"document.getElementById('trial').dataset.anchor === {anchor!r}")


# Opens `controlplane view`, the web server for recorded runs, in a browser.
#
#     with viewed_runs(browser, folder) as view:
#         browser.visit(view.url("/runs/a"))
#         assert browser.text("h1") == "first"
#
# "/" lists the runs of the folder, "/runs/a" shows the run of a.jsonl, and "/runs/a#trial-1-1" its
# first trial.


@contextmanager
def viewed_runs(
    browser: Browser, folder: Path, journals: str = "."
) -> Iterator[RunningView]:
    """Serve the journals of a folder, and open their list in the browser.

    At the end of the block, asserts that the pages had no errors.
    """
    browser.complaints.clear()
    browser.size(WIDE_WINDOW)
    with serving_view(folder, journals) as view:
        # The address has the token, by which the browser may then read the other pages, too.
        browser.visit(view.address)
        try:
            yield view
            assert browser.complaints == []
        finally:
            leave_page(browser)


def leave_page(browser: Browser) -> None:
    """Open an empty page, which no longer asks a server that ends for news."""
    browser.send("Page.navigate", url="about:blank")
    browser.wait("document.URL === 'about:blank'")
    browser.complaints.clear()


LONG_TEXT = "a long text that is shown when it is unfolded " * 40
TRIALS = [
    ReportedTrial(
        "alpha",
        score=0.0,
        details=("answer should be '4'", "/docs/a.md is missing"),
        rejected_answers=1,
    ),
    ReportedTrial("beta", score=0.5, details=("answer should be '7'",), steps=12),
    ReportedTrial("gamma", score=1.0, text=LONG_TEXT),
    ReportedTrial("delta", score=1.0, steps=2),
]
"""The trials of the run that most tests look at. Their mean score is 0.625."""


class Reports(NamedTuple):
    """Report files."""

    of_one_run: Path
    """About the run with `TRIALS`."""
    of_two_runs: Path
    """About that run and another one."""
    of_hostile_runs: Path
    """About two runs whose texts are HTML with scripts."""


def write_report(path: Path, *journals: Path) -> Path:
    """Write a report about runs, and return its path."""
    path.write_text("".join(run_report(journals).pieces), encoding="utf-8")
    return path


def write_reports(folder: Path) -> Reports:
    """Write the three report files into the folder."""
    first = journal_of_trials(folder / "a.jsonl", TRIALS)
    trials_of_second_run = [
        ReportedTrial("alpha", score=1.0),
        ReportedTrial("beta", score=0.5),
        ReportedTrial("new", score=None),
    ]
    second = journal_of_trials(folder / "b.jsonl", trials_of_second_run, name="second")
    hostile = hostile_journal(folder / "h.jsonl")
    other_hostile = hostile_journal(folder / "i.jsonl")
    return Reports(
        of_one_run=write_report(folder / "one.html", first),
        of_two_runs=write_report(folder / "two.html", first, second),
        of_hostile_runs=write_report(folder / "hostile.html", hostile, other_hostile),
    )
