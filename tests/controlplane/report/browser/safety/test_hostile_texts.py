"""Texts in a report that try to become HTML and to run scripts are shown as texts, in a real browser.

A report is one HTML file about recorded runs. Models, environments and users write texts in it: here
every one tries to change the page's title by a script.
"""

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.written_reports import Reports
from tests.controlplane.report.hostile_texts import HOSTILE_MARKUP
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("anchor", "awaited"),
    [
        pytest.param("", f"!({TRIAL_IS_SHOWN})", id="table"),
        pytest.param("#trial-1-1", TRIAL_IS_SHOWN, id="trial of the first run"),
        pytest.param("#trial-2-1/1", TRIAL_IS_SHOWN, id="step of the second run"),
    ],
)
def test_hostile_text_runs_nothing_and_is_shown_as_text(
    page: Browser, reports: Reports, anchor: str, awaited: str
) -> None:
    """Every text of the two runs tries to change the page's title by a script. The key f
    unfolds all that is folded."""
    page.open(reports.of_hostile_runs, anchor=anchor)
    page.wait(awaited)
    page.press("f")

    assert page.value("document.title") != "owned"
    number_of_foreign_elements = page.value(
        "document.querySelectorAll('img, iframe, object, svg[onload], [onerror]').length"
    )
    assert number_of_foreign_elements == 0
    # Behind this part are control characters, which are shown by visible signs.
    plain_part, _, _ = HOSTILE_MARKUP.partition("\u202e")
    assert plain_part in page.value("document.body.textContent")
