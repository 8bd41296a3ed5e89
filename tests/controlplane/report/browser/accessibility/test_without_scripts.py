"""A report shows the table of trials also in a browser that runs no scripts.

Some companies' browsers run no scripts in files. The page is then made from HTML alone: without the
fields to sort and search by, which would do nothing.
"""

from collections.abc import Iterator

import pytest

from tests.controlplane.report.browser.accessibility.accessible_elements import (
    accessible_elements,
    names_of,
)
from tests.controlplane.report.browser.written_reports import Reports
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def markup_of(page: Browser, selector: str) -> str:
    """Return the HTML of the element with this selector, such as "#trials".

    Commands of the browser read it, not JavaScript, so that it works with scripts switched off.
    """
    root = page.send("DOM.getDocument")["root"]
    element = page.send("DOM.querySelector", nodeId=root["nodeId"], selector=selector)
    markup = page.send("DOM.getOuterHTML", nodeId=element["nodeId"])
    return str(markup["outerHTML"])


@pytest.fixture
def page_without_scripts(page: Browser, reports: Reports) -> Iterator[Browser]:
    """The report of one run, open in a browser that runs no scripts."""
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(reports.of_one_run)
        yield page
    finally:
        page.send("Emulation.setScriptExecutionDisabled", value=False)


def test_without_scripts_the_report_has_the_table_of_trials(
    page_without_scripts: Browser,
) -> None:
    """Screen readers find the table, too."""
    assert "answer should be" in markup_of(page_without_scripts, "#trials")
    names = names_of(accessible_elements(page_without_scripts))
    assert {"alpha", "answer should be '4'", "Trials"} <= names


def test_without_scripts_the_report_has_no_controls(
    page_without_scripts: Browser,
) -> None:
    for name in names_of(accessible_elements(page_without_scripts)):
        assert "Sort by" not in name
