"""Reports on phones, without scripts, and for screen readers, in a real browser.

A report is one HTML file with a table of trials, here of the tasks alpha, beta, gamma and delta.
`page` is open in a headless Chromium, whose own tree of accessible elements the tests read:
`("link", "alpha")` is a link that a screen reader calls "alpha".
"""

from collections.abc import Iterator

import pytest

from tests.controlplane.report.browser.page_expressions import (
    NOTHING_SCROLLS_SIDEWAYS,
    TRIAL_IS_SHOWN,
)
from tests.controlplane.report.browser.report_pages import (
    NARROW_WINDOW,
    WIDE_WINDOW,
    Reports,
)
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


class TestNarrowWindows:
    """A report fits its window, on a phone and on a screen.

    `reports` are files about one run, about two, and about runs with hostile texts. The
    expressions of JavaScript say whether something could be scrolled sideways, and whether a
    trial is shown.
    """

    @pytest.mark.parametrize("report", Reports._fields)
    @pytest.mark.parametrize("width", [NARROW_WINDOW, WIDE_WINDOW])
    def test_no_report_is_wider_than_its_window(
        self, page: Browser, reports: Reports, width: int, report: str
    ) -> None:
        """This holds for the table of trials and for the page of a trial. Otherwise the user of a
        phone would have to scroll sideways."""
        page.size(width)
        path = getattr(reports, report)

        page.open(path)
        page.wait(f"!({TRIAL_IS_SHOWN})")
        assert page.value(NOTHING_SCROLLS_SIDEWAYS)

        page.open(path, anchor="#trial-1-1")
        page.wait(TRIAL_IS_SHOWN)
        assert page.value(NOTHING_SCROLLS_SIDEWAYS)


def accessible_elements(page: Browser) -> set[tuple[str, str]]:
    """Return role and name of each element that a screen reader finds: `{("link", "alpha"), ...}`.

    The tree of these elements is the browser's own.
    """
    elements = set()
    for node in page.send("Accessibility.getFullAXTree")["nodes"]:
        if not node.get("ignored") and "role" in node:
            name = str(node.get("name", {}).get("value", ""))
            elements.add((node["role"]["value"], name))
    return elements


def names_of(elements: set[tuple[str, str]]) -> set[str]:
    """Return the names of elements of whatever role: `{"alpha", ...}`."""
    return {name for _, name in elements}


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


class TestWithoutScripts:
    """Some companies' browsers run no scripts in files: the table is there without them.

    The page is made by the browser from HTML alone: without the fields to sort and search by,
    which would do nothing.
    """

    def test_without_scripts_the_report_has_the_table_of_trials(
        self, page_without_scripts: Browser
    ) -> None:
        """Screen readers find the table, too."""
        assert "answer should be" in markup_of(page_without_scripts, "#trials")
        names = names_of(accessible_elements(page_without_scripts))
        assert {"alpha", "answer should be '4'", "Trials"} <= names

    def test_without_scripts_the_report_has_no_controls(
        self, page_without_scripts: Browser
    ) -> None:
        """Fields to sort and search by would do nothing."""
        for name in names_of(accessible_elements(page_without_scripts)):
            assert "Sort by" not in name


class TestScreenReaders:
    """A screen reader finds tables, links and fields by their roles and names.

    The window is as narrow as a phone, where the rows of the table are laid out as cards.
    `accessible_elements(page)` returns roles with names: `{("link", "alpha"), ...}`.
    """

    def test_a_screen_reader_finds_elements_by_role_and_name(
        self, page: Browser
    ) -> None:
        """The window is narrow, in which the layout is another one."""
        page.size(NARROW_WINDOW)

        named_elements = {
            ("table", "Trials"),
            ("heading", "Why trials failed"),
            ("link", "alpha"),
            ("navigation", "Sections"),
            ("searchbox", "Search"),
            ("combobox", "Sort by"),
            ("combobox", "Show"),
        }
        assert accessible_elements(page) >= named_elements

    def test_a_screen_reader_finds_cells_and_landmarks(self, page: Browser) -> None:
        """Cells keep their roles in the narrow window, where rows are laid out as cards."""
        page.size(NARROW_WINDOW)
        roles = {role for role, _ in accessible_elements(page)}

        assert {"row", "cell", "columnheader", "rowheader"} <= roles
        assert {"main", "search", "status"} <= roles

    def test_every_control_and_image_has_a_name_for_screen_readers(
        self, page: Browser
    ) -> None:
        page.size(NARROW_WINDOW)
        elements = accessible_elements(page)

        roles_with_names = ("button", "link", "combobox", "searchbox", "image")
        unnamed = [
            role for role, name in elements if role in roles_with_names and not name
        ]
        assert unnamed == []
        image_names = [name for role, name in elements if role == "image"]
        assert "Mean score 0.625" in " ".join(image_names)
