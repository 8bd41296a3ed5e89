"""Keys move through the trials of a report and their steps, as in a mail program.

    j, k     the next and the previous step      r    the next rejected answer
    ], [     the next and the previous trial

The trials are those of the tasks alpha, beta, delta and gamma, in this order.
"""

import pytest

from tests.controlplane.report.browser.keys.focus import focused_id
from tests.controlplane.report.browser.report_pages import TITLE_OF_TRIAL, open_trial
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def test_j_and_k_move_through_the_steps_of_a_trial(page: Browser) -> None:
    """The first of them, `step-0`, is the initial prompt."""
    open_trial(page, "trial-1-2")

    page.press("j")
    assert focused_id(page) == "step-0"

    page.press("j")
    assert focused_id(page) == "step-1"

    page.press("k")
    assert focused_id(page) == "step-0"


def test_brackets_move_to_the_next_and_the_previous_trial(page: Browser) -> None:
    open_trial(page, "trial-1-2")

    page.press("]")
    page.wait(f"{TITLE_OF_TRIAL} === 'delta'")

    page.press("[")
    page.wait(f"{TITLE_OF_TRIAL} === 'beta'")

    page.press("[")
    page.wait(f"{TITLE_OF_TRIAL} === 'alpha'")


def test_r_moves_to_the_next_rejected_answer(page: Browser) -> None:
    """The answer of step 1 of alpha was sent back."""
    open_trial(page, "trial-1-1")

    page.press("r")

    assert focused_id(page) == "step-1"
