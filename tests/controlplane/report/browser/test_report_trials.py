"""The page of a trial in a report, in a real browser: its parts, and the keys that move through it.

The report is one HTML file. `page` is open in a headless Chromium; its run has the tasks alpha,
beta, gamma and delta. The page of a trial opens at an anchor, such as `#trial-1-2`.
"""

from typing import NamedTuple

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.report_pages import (
    SUMMARY_IS_SHOWN,
    TITLE_OF_TRIAL,
    VISIBLE_TASKS,
    Reports,
    open_trial,
)
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


class TestPageOfATrial:
    """The page of the trial "alpha", of which the run has recorded this:

    request     "What does alpha ask?"
    step 1      state "state 1", plan "first", then "then", code "for each in range(1): ..."
                the call read(path="/doc-1.md"), the output "seen"
                an answer with OUTCOME_OK, which a check, a *gate*, sent back: "the gates said no"
    step 2      the same with "state 2" and /doc-2.md; its answer is accepted
    sent        "answer of alpha"
    score       0, because "answer should be '4'"
    """

    def test_a_trial_shows_question_and_reasons_before_its_steps(
        self, page: Browser
    ) -> None:
        """What was asked, and why the answer is wrong, is what the user wants to know first."""
        open_trial(page, "trial-1-1")
        text = page.value("document.getElementById('trial').innerText")

        parts_in_order = [
            "What does alpha ask?",
            "answer should be '4'",
            "Initial prompt",
            "Step 1",
            "sent back OUTCOME_OK",
            "Step 2",
        ]
        places = [text.index(part) for part in parts_in_order]
        assert places == sorted(places)

    def test_a_trial_shows_all_parts_of_its_steps(self, page: Browser) -> None:
        """The two headings are the page's own; all else is recorded, as listed above."""
        recorded_parts = [
            "state 1",
            "first",  # the plan
            "for each in",  # the code
            "seen",  # the output
            'read(path="/doc-1.md")',
            "the gates said no",
            "answer of alpha",
        ]
        headings = ["Scratchpad", "What the gates said"]

        open_trial(page, "trial-1-1")
        text = page.value("document.getElementById('trial').innerText")

        for part in [*recorded_parts, *headings]:
            assert part in text

    def test_code_is_shown_as_it_was_written(self, page: Browser) -> None:
        """Its colours are elements of HTML, and it has characters of two and four bytes."""
        open_trial(page, "trial-1-1")

        code = page.value("document.querySelector('.code').textContent")
        assert code == "for each in range(1):\n    print('é𝄞', each)  # say"


FOCUSED_TEXT = "document.activeElement.textContent"
FOCUSED_ID = "document.activeElement.id"


class KeyPress(NamedTuple):
    """Keys that are pressed, and what is seen then.

    After `KeyPress("j", FOCUSED_TEXT, "alpha")`, the text of the focused element is "alpha".
    """

    keys: str
    """Keys that are pressed one after the other, separated by spaces."""
    looked_at: str
    """An expression of JavaScript."""
    seen: object
    """Its value after the keys."""
    awaited: str = "true"
    """An expression that has to become true before the test looks."""


KEY_PRESSES = [
    # j and k: the next and the previous row or step. Enter: open the trial.
    KeyPress("j", FOCUSED_TEXT, "alpha"),
    KeyPress("j", FOCUSED_TEXT, "beta"),
    KeyPress("Enter", FOCUSED_TEXT, "beta", awaited=f"{TITLE_OF_TRIAL} === 'beta'"),
    KeyPress("j j", FOCUSED_ID, "step-1"),
    KeyPress("k", FOCUSED_ID, "step-0"),
    # ] and [: the next and the previous trial.
    KeyPress("]", TITLE_OF_TRIAL, "delta", awaited=f"{TITLE_OF_TRIAL} === 'delta'"),
    KeyPress("[", TITLE_OF_TRIAL, "beta", awaited=f"{TITLE_OF_TRIAL} === 'beta'"),
    KeyPress("[", TITLE_OF_TRIAL, "alpha", awaited=f"{TITLE_OF_TRIAL} === 'alpha'"),
    # r: the next rejected answer. u: back to the table.
    KeyPress("r", FOCUSED_ID, "step-1"),
    KeyPress("u", FOCUSED_TEXT, "alpha", awaited=SUMMARY_IS_SHOWN),
    # /: search. ?: the list of keys.
    KeyPress("/ g a m", VISIBLE_TASKS, ["gamma"]),
    KeyPress("Escape ?", "document.getElementById('help').open", True),
]
"""They are pressed one after the other, each where the one before has led: the second j from alpha to
beta, and `j j` from the top of beta's page over the initial prompt, `step-0`, to its step 1."""


class TestKeys:
    """Keys move through the table, the trials and their steps, as in a mail program.

    j and k move down and up, Enter opens a trial, ] and [ go to the next and the previous one, and
    ? lists all keys. The table has the tasks alpha, beta, delta and gamma, in this order.
    """

    def test_keys_move_through_trials_and_steps(self, page: Browser) -> None:
        """Press the keys of `KEY_PRESSES` one after the other, and look at the page after each."""
        for press in KEY_PRESSES:
            page.press(*press.keys.split())
            page.wait(press.awaited)
            assert page.value(press.looked_at) == press.seen, press.keys

    def test_keys_can_be_switched_off(self, page: Browser) -> None:
        """The switch is in the list of keys, which ? opens."""
        page.press("?")
        page.value("document.getElementById('keys-on').click()")
        page.value("document.getElementById('help').close()")
        page.press("j")

        assert page.value("document.activeElement.matches('.trials a')") is False


class TestLinks:
    """A trial, or a step of it, has an address of its own: `#trial-1-2/12` is step 12 of beta.

    Table and trial are one file, and yet the browser's button "back" leads from one to the
    other. `reports.of_one_run` is the file. The constants are expressions of JavaScript, which
    tell what the page shows.
    """

    def test_a_link_to_a_step_opens_the_trial_at_that_step(
        self, page: Browser, reports: Reports
    ) -> None:
        """In `#trial-1-2/12`, 1-2 is the second trial of the first run, beta, and 12 its step."""
        page.open(reports.of_one_run, anchor="#trial-1-2/12")

        page.wait("document.activeElement.id === 'step-12'")

    def test_going_back_from_the_table_returns_to_the_trial(
        self, page: Browser, reports: Reports
    ) -> None:
        """The user presses the browser's own button, as if trial and table were pages of a site."""
        page.open(reports.of_one_run, anchor="#trial-1-2/12")
        page.value("location.hash = '#h-trials'")
        page.wait(SUMMARY_IS_SHOWN)
        page.value("history.back()")

        page.wait(f"{TRIAL_IS_SHOWN} && {TITLE_OF_TRIAL} === 'beta'")

    def test_a_link_to_a_trial_that_does_not_exist_shows_the_table(
        self, page: Browser, reports: Reports
    ) -> None:
        """`#trial-9-9` would be the ninth trial of a ninth run; the report has one run."""
        page.open(reports.of_one_run, anchor="#trial-1-2/12")
        page.wait(TRIAL_IS_SHOWN)
        page.value("location.hash = '#trial-9-9'")

        page.wait(SUMMARY_IS_SHOWN)
