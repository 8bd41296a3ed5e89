"""The first page of `controlplane view` lists runs, which the user searches, or chooses to compare."""

from pathlib import Path

import pytest

from tests.controlplane.report.browser.page_expressions import fill_in_field
from tests.controlplane.report.browser.viewed_runs import viewed_runs
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the runs a.jsonl and b.jsonl, which the user calls "first" and "second"."""
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha")], name="first")
    journal_of_trials(tmp_path / "b.jsonl", [ReportedTrial("alpha")], name="second")
    return tmp_path


def visible_runs(browser: Browser) -> set[str]:
    """Return the names in the rows of the list that are not hidden: `{"first", "second"}`."""
    names = browser.value("""
        [...document.querySelectorAll('.trials tbody tr')]
            .filter(row => !row.hidden)
            .map(row => row.querySelector('a').textContent)
    """)
    return set(names)


def test_the_list_of_runs_is_searched(browser: Browser, folder: Path) -> None:
    with viewed_runs(browser, folder):
        assert visible_runs(browser) == {"first", "second"}

        fill_in_field(browser, "search", "second")

        assert visible_runs(browser) == {"second"}


def test_two_runs_are_chosen_in_the_list_and_compared(
    browser: Browser, folder: Path
) -> None:
    """Each row has a box to tick; a button opens the page that compares the chosen runs."""
    with viewed_runs(browser, folder):
        browser.click(".pick[value=a]")
        browser.click(".pick[value=b]")
        browser.click("#chosen button")

        browser.wait("location.pathname.startsWith('/runs/')")
        browser.wait_for("#h-compared")
