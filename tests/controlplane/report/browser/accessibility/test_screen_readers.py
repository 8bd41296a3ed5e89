"""A screen reader finds the tables, links and fields of a report by their roles and names.

The window is as narrow as a phone, where the rows of the table are laid out as cards.
`accessible_elements(page)` returns roles with names: `{("link", "alpha"), ...}`.
"""

import pytest

from tests.controlplane.report.browser.accessibility.accessible_elements import (
    accessible_elements,
)
from tests.controlplane.report.browser.report_pages import NARROW_WINDOW
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


def test_a_screen_reader_finds_elements_by_role_and_name(page: Browser) -> None:
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


def test_a_screen_reader_finds_cells_and_landmarks(page: Browser) -> None:
    """Cells keep their roles in the narrow window, where rows are laid out as cards."""
    page.size(NARROW_WINDOW)
    roles = {role for role, _ in accessible_elements(page)}

    assert {"row", "cell", "columnheader", "rowheader"} <= roles
    assert {"main", "search", "status"} <= roles


def test_every_control_and_image_has_a_name_for_screen_readers(page: Browser) -> None:
    page.size(NARROW_WINDOW)
    elements = accessible_elements(page)

    roles_with_names = ("button", "link", "combobox", "searchbox", "image")
    unnamed = [role for role, name in elements if role in roles_with_names and not name]
    assert unnamed == []
    image_names = [name for role, name in elements if role == "image"]
    assert "Mean score 0.625" in " ".join(image_names)
