"""The policy in the head of a report stops markup that was planted in it, in a real browser.

A script, an image and a style are planted in a report, as if a text were not escaped. The content
security policy is a second line of defence: no other script or style runs, nothing is loaded, and no
text becomes HTML.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.report.browser.written_reports import Reports
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


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


def test_the_policy_of_a_report_stops_markup_that_was_planted_in_it(
    spoilt_page: Browser,
) -> None:
    assert spoilt_page.value("document.title") == "first · run report"
    assert spoilt_page.value("getComputedStyle(document.body).zoom") == "1"
    assert spoilt_page.value(TRY_TO_SET_HTML) == "TypeError"

    complaints_of_policy = []
    for complaint in spoilt_page.complaints:
        if "Content Security Policy" in complaint:
            complaints_of_policy.append(complaint)
    assert len(complaints_of_policy) >= 3  # about the script, the image and the style
