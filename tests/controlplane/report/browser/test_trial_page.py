"""The page of a trial in a report, in a real browser, shows what is recorded of the trial.

The page is that of the trial "alpha":

    request     "What does alpha ask?"
    step 1      state "state 1", plan "first", then "then", code "for each in range(1): ..."
                the call read(path="/doc-1.md"), the output "seen"
                an answer with OUTCOME_OK, which a check, a *gate*, sent back: "the gates said no"
    step 2      the same with "state 2" and /doc-2.md; its answer is accepted
    sent        "answer of alpha"
    score       0, because "answer should be '4'"
"""

import pytest

from tests.controlplane.report.browser.report_pages import open_trial
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def test_a_trial_shows_question_and_reasons_before_its_steps(page: Browser) -> None:
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


def test_a_trial_shows_all_parts_of_its_steps(page: Browser) -> None:
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


def test_code_is_shown_as_it_was_written(page: Browser) -> None:
    """Its colours are elements of HTML, and it has characters of two and four bytes."""
    open_trial(page, "trial-1-1")

    code = page.text(".code")
    assert code == "for each in range(1):\n    print('é𝄞', each)  # say"
