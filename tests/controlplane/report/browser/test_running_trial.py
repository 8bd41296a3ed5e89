"""The page of a run that still plays follows its journal, without being loaded again.

The tests write the journal event by event, as a run does.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.viewed_runs import leave_page, viewed_runs
from tests.controlplane.report.reported_steps import step_events
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.running_view import serving_view
from tests.controlplane.report.trial_events import trial_events
from tests.controlplane.report.unfinished_journal import unfinished_journal
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def test_the_page_of_a_running_trial_follows_its_journal(
    browser: Browser, tmp_path: Path
) -> None:
    start, opening, *_ = trial_events("a", ReportedTrial("a"))
    with (
        unfinished_journal(tmp_path / "live.jsonl", "a") as writer,
        viewed_runs(browser, tmp_path) as view,
    ):
        # The list of runs says that the run is running.
        browser.wait_for(".trials .state")
        assert browser.text(".trials .state") == "running"

        # The page of the run gets a part about running trials.
        browser.visit(view.url("/runs/live"))
        writer.write(start)
        writer.write(opening)
        browser.wait_for("#h-live")

        # The page of the trial shows its opening as a step, and gets the first step.
        browser.value("location.hash = 'trial-1-1'")
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait("document.querySelectorAll('#trial .step').length === 1")
        for event in step_events("a", 1, text="seen"):
            writer.write(event)
        browser.wait_for("#step-1")


@pytest.fixture
def page_to_leave(browser: Browser) -> Iterator[Browser]:
    """A page whose server ends: it complains of that until it is left."""
    yield browser
    leave_page(browser)


def test_a_page_says_that_the_connection_to_its_server_is_lost(
    page_to_leave: Browser, tmp_path: Path
) -> None:
    """The note is hidden until the server has ended."""
    page = page_to_leave
    start, opening, *_ = trial_events("a", ReportedTrial("a"))
    with unfinished_journal(tmp_path / "live.jsonl", "a") as writer:
        writer.write(start)
        writer.write(opening)
        with serving_view(tmp_path) as view:
            page.visit(view.address)
            page.visit(view.url("/runs/live"))
            page.wait_for("#h-live")
            page.value("location.hash = 'trial-1-1'")
            page.wait(TRIAL_IS_SHOWN)
            assert page.value("document.getElementById('lost').hidden") is True

        page.wait("!document.getElementById('lost').hidden")
