"""The pages of `controlplane view` follow a run that still plays, without being loaded again.

The test writes the journal of the run event by event, as a run does. It starts at the list of runs,
and goes to the page of the run, and there to its only trial.
"""

from pathlib import Path

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.viewed_runs import viewed_runs
from tests.controlplane.report.reported_steps import step_events
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.trial_events import trial_events
from tests.controlplane.report.unfinished_journal import unfinished_journal
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier

STATE_IN_LIST = ".trials .state"
"""The selector of a run's state in the list of runs."""

RUNNING_TRIALS = "#h-live"
"""The heading of the part on running trials. A page without such trials does not have it."""

THERE_IS_ONE_STEP = "document.querySelectorAll('#trial .step').length === 1"


def test_the_pages_of_a_running_run_follow_its_journal(
    browser: Browser, tmp_path: Path
) -> None:
    start, opening, *_ = trial_events("a", ReportedTrial("a"))
    with (
        unfinished_journal(tmp_path / "live.jsonl", "a") as writer,
        viewed_runs(browser, tmp_path) as view,
    ):
        # The browser shows the list of runs.
        browser.wait_for(STATE_IN_LIST)
        assert browser.text(STATE_IN_LIST) == "running"

        # The page of the run gets a part on running trials when the first trial starts.
        browser.visit(view.url("/runs/live"))
        writer.write(start)
        writer.write(opening)
        browser.wait_for(RUNNING_TRIALS)

        # The trial has a step for its opening, and gets step 1 when it is written.
        browser.value("location.hash = 'trial-1-1'")
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait(THERE_IS_ONE_STEP)
        for event in step_events("a", 1, text="seen"):
            writer.write(event)
        browser.wait_for("#step-1")
