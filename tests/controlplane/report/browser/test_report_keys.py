"""Keys move through the table of a report, its trials and their steps, as in a mail program.

    j, k     the next and the previous row or step      Enter    open the trial
    ], [     the next and the previous trial            u        back to the table
    r        the next rejected answer                   /, ?     search, and the list of keys

The table has the tasks alpha, beta, delta and gamma, in this order.
"""

import pytest

from tests.controlplane.report.browser.report_pages import (
    SUMMARY_IS_SHOWN,
    TITLE_OF_TRIAL,
    VISIBLE_TASKS,
    open_trial,
)
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def focused_text(page: Browser) -> str:
    """Return the text of the element that has the focus: `"alpha"`, the link of a row."""
    return str(page.value("document.activeElement.textContent"))


def focused_id(page: Browser) -> str:
    """Return the id of the element that has the focus: `"step-1"`."""
    return str(page.value("document.activeElement.id"))


def test_j_and_k_move_through_the_rows_of_the_table(page: Browser) -> None:
    page.press("j")
    assert focused_text(page) == "alpha"

    page.press("j")
    assert focused_text(page) == "beta"

    page.press("k")
    assert focused_text(page) == "alpha"


def test_enter_opens_the_trial_of_a_row_and_u_leads_back_to_it(page: Browser) -> None:
    page.press("j", "j", "Enter")
    page.wait(f"{TITLE_OF_TRIAL} === 'beta'")
    assert focused_text(page) == "beta"

    page.press("u")
    page.wait(SUMMARY_IS_SHOWN)
    assert focused_text(page) == "beta"


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


def test_a_slash_moves_to_the_field_for_a_search(page: Browser) -> None:
    page.press("/", "g", "a", "m")

    assert page.value(VISIBLE_TASKS) == ["gamma"]


def test_a_question_mark_opens_the_list_of_keys_also_after_a_search(
    page: Browser,
) -> None:
    """Escape leaves the field for a search, in which a question mark would be a letter."""
    page.press("/", "g", "Escape", "?")

    assert page.value("document.getElementById('help').open") is True


def test_keys_can_be_switched_off(page: Browser) -> None:
    """The switch is in the list of keys, which ? opens."""
    page.press("?")
    page.click("#keys-on")
    page.value("document.getElementById('help').close()")
    page.press("j")

    assert page.value("document.activeElement.matches('.trials a')") is False
