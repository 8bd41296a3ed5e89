"""Texts in a report that try to become HTML and to run scripts, in a real browser.

A report is one HTML file about recorded runs. Models, environments and users write texts in it.
They are shown as texts; if one were not, the policy in the file's head would stop it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.report_pages import Reports
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


PLANTED_MARKUP = (
    "<script>document.title='owned'</script>"
    "<img src='http://127.0.0.1:9/x' onerror=\"document.title='owned'\">"
    "<style>body{zoom:2}</style>"
)
"""A script that changes the title, an image from elsewhere, and a style that enlarges the page."""

TRY_TO_SET_HTML = """
    (() => {
        try {
            document.body.innerHTML = '<b>x</b>';
            return 'set';
        } catch (error) {
            return error.name;
        }
    })()
"""
"""Gives "set", or the name of the error with which the browser refuses to make HTML of a text."""


@pytest.fixture
def spoilt_page(
    browser: Browser, reports: Reports, tmp_path: Path
) -> Iterator[Browser]:
    """A report with the planted markup, as if a text were not escaped, open in a browser.

    The browser complains about it. Other tests share the browser, and must not find that.
    """
    html = reports.of_one_run.read_text("utf-8")
    spoilt = tmp_path / "spoilt.html"
    spoilt.write_text(html.replace("<h1>", f"{PLANTED_MARKUP}<h1>", 1))
    browser.complaints.clear()
    browser.open(spoilt)
    yield browser
    browser.complaints.clear()


class TestPlantedMarkup:
    """A script, an image and a style are planted in a report, as if a text were not escaped.

    The content security policy in the head of the file is a second line of defence.
    """

    def test_the_policy_of_a_report_stops_markup_that_was_planted_in_it(
        self, spoilt_page: Browser
    ) -> None:
        """The content security policy in the file's head is a second line of defence, should a text
        not be escaped: no other script or style runs, nothing is loaded, no text becomes HTML."""
        assert spoilt_page.value("document.title") == "first · run report"
        assert spoilt_page.value("getComputedStyle(document.body).zoom") == "1"
        assert spoilt_page.value(TRY_TO_SET_HTML) == "TypeError"

        complaints_of_policy = []
        for complaint in spoilt_page.complaints:
            if "Content Security Policy" in complaint:
                complaints_of_policy.append(complaint)
        assert (
            len(complaints_of_policy) >= 3
        )  # about the script, the image and the style
