"""The table of trials in a report, in a real browser: it is sorted, filtered and searched.

The report is one HTML file. `page` is open in a headless Chromium; its run has four tasks:

    alpha   score 0, an answer was sent back      gamma   score 1
    beta    score 0.5, 13 steps                   delta   score 1
"""

import pytest

from tests.controlplane.report.browser.page_expressions import fill_in_field
from tests.controlplane.report.browser.report_pages import VISIBLE_TASKS
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def test_pressing_a_heading_sorts_the_table_and_pressing_it_again_reverses_it(
    page: Browser,
) -> None:
    """The heading is that of the column of steps; "beta" has 13 of them."""
    direction = "document.querySelector('.trials th[data-key=steps]').ariaSort"

    page.click(".trials th[data-key=steps] button")
    assert page.value(VISIBLE_TASKS)[0] == "beta"
    assert page.value(direction) == "descending"

    page.click(".trials th[data-key=steps] button")
    assert page.value(VISIBLE_TASKS)[-1] == "beta"
    assert page.value(direction) == "ascending"


def test_the_table_is_sorted_by_the_chosen_column(page: Browser) -> None:
    """The user chooses a column in a form. At first the worst trial is on top, and the tasks' names
    happen to be in that order, too."""
    assert page.value(VISIBLE_TASKS) == ["alpha", "beta", "delta", "gamma"]

    fill_in_field(page, "sort", "steps")
    steps_1_2_3_and_13 = ["gamma", "alpha", "delta", "beta"]
    assert page.value(VISIBLE_TASKS) == steps_1_2_3_and_13

    fill_in_field(page, "sort", "task")
    assert page.value(VISIBLE_TASKS) == ["alpha", "beta", "delta", "gamma"]

    # Without a chosen column, no heading has a direction.
    fill_in_field(page, "sort", "")
    direction_by_steps = "document.querySelector('.trials th[data-key=steps]').ariaSort"
    assert page.value(direction_by_steps) is None


@pytest.mark.parametrize(
    ("field", "value", "tasks"),
    [
        pytest.param("filter", "failed", ["alpha"], id="score 0"),
        pytest.param("filter", "between", ["beta"], id="score between 0 and 1"),
        pytest.param("filter", "perfect", ["delta", "gamma"], id="score 1"),
        pytest.param("filter", "back", ["alpha"], id="an answer was sent back"),
        pytest.param("filter", "noanswer", [], id="no answer"),
        pytest.param("search", "does GAMMA ask", ["gamma"], id="in the instruction"),
        pytest.param("search", "should '7'", ["beta"], id="two words of the grader"),
        pytest.param("search", "nothing of the kind", [], id="in no trial"),
    ],
)
def test_the_table_is_filtered_and_searched(
    page: Browser, field: str, value: str, tasks: list[str]
) -> None:
    """A note says if no trial fits."""
    fill_in_field(page, field, value)

    assert page.value(VISIBLE_TASKS) == tasks
    assert page.text("#shown") == f"{len(tasks)} of 4 trials"
    note_is_hidden = page.value("document.getElementById('nothing').hidden")
    assert note_is_hidden is (tasks != [])
