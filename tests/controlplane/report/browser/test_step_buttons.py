"""A step on the page of a trial has the buttons "What the model saw" and "Copy fork command"."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.report.browser.viewed_runs import viewed_runs
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


@pytest.fixture
def trial_page(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The page of a trial of one step, once the step has its buttons."""
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha")])
    with viewed_runs(browser, tmp_path) as view:
        browser.visit(view.url("/runs/a#trial-1-1"))
        browser.wait_for("#step-1 .step-tools button")
        yield browser


def press_button(page: Browser, name: str) -> None:
    """Press the button of step 1 whose text begins with this name."""
    page.value(f"""
        [...document.querySelectorAll('#step-1 .step-tools button')]
            .find(button => button.textContent.startsWith({name!r}))
            .click()
    """)


def test_what_the_model_saw_opens_in_a_dialog(trial_page: Browser) -> None:
    """Each step has a button that shows the request to the model."""
    press_button(trial_page, "What the model saw")

    trial_page.wait("document.getElementById('show').open")
    assert "step 1" in trial_page.text("#shown-name")


def test_a_command_is_copied_to_the_clipboard(trial_page: Browser) -> None:
    """The command plays the trial again from step 1 on."""
    trial_page.value("navigator.clipboard.writeText = async (text) => {}")

    press_button(trial_page, "Copy fork command")

    trial_page.wait("document.getElementById('said').textContent === 'Copied.'")


def test_a_command_is_shown_if_the_browser_refuses_the_clipboard(
    trial_page: Browser,
) -> None:
    """The user can then copy it by hand."""
    trial_page.value("navigator.clipboard.writeText = async (text) => { throw 0; }")

    press_button(trial_page, "Copy fork command")

    trial_page.wait("document.getElementById('show').open")
    assert trial_page.text("#show pre").endswith(" --step 1")
