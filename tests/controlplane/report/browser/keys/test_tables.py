"""Keys move through the table of a report, as in a mail program.

    j, k     the next and the previous row     Enter    open the trial
    /, ?     search, and the list of keys      u        back to the table

The table has the tasks alpha, beta, delta and gamma, in this order.
"""

import pytest

from tests.controlplane.report.browser.keys.focus import focused_text
from tests.controlplane.report.browser.report_pages import (
    SUMMARY_IS_SHOWN,
    TITLE_OF_TRIAL,
    VISIBLE_TASKS,
)
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


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
