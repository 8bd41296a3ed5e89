"""The page /runs/a,b#trial-1-1~trial-2-1 shows a trial of each of two runs side by side."""

from pathlib import Path

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.viewed_runs import viewed_runs
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def test_two_trials_stand_side_by_side_from_their_first_difference(
    browser: Browser, tmp_path: Path
) -> None:
    """The answer of step 1 is sent back in the first run, and accepted in the second."""
    rejected_first = ReportedTrial("alpha", rejected_answers=1)
    accepted_at_once = ReportedTrial("alpha", rejected_answers=0)
    journal_of_trials(tmp_path / "a.jsonl", [rejected_first])
    journal_of_trials(tmp_path / "b.jsonl", [accepted_at_once])

    with viewed_runs(browser, tmp_path) as view:
        browser.visit(view.url("/runs/a,b#trial-1-1~trial-2-1"))
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait("document.querySelectorAll('#trial .pair').length > 1")

        assert browser.text("#trial > h2") == "From here on they differ: step 1"
        steps = browser.value("document.querySelectorAll('#trial .pair .step').length")
        assert steps == 2 + 1  # two of the first trial, one of the second


def test_two_equal_trials_are_said_to_be_the_same(
    browser: Browser, tmp_path: Path
) -> None:
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("beta")])
    journal_of_trials(tmp_path / "b.jsonl", [ReportedTrial("beta")])

    with viewed_runs(browser, tmp_path) as view:
        browser.visit(view.url("/runs/a,b#trial-1-1~trial-2-1"))
        browser.wait(TRIAL_IS_SHOWN)

        browser.wait_for("#trial > details")
        assert browser.text("#trial > details") == "All steps are the same"
