"""The element of a page that has the focus.

    focused_text(page)    ->    "alpha"
    focused_id(page)      ->    "step-1"

The first is the link of a row in the table of trials, the second a step of a trial.
"""

from tests.support.browser import Browser


def focused_text(page: Browser) -> str:
    """Return the text of the element that has the focus: `"alpha"`, the link of a row."""
    return str(page.value("document.activeElement.textContent"))


def focused_id(page: Browser) -> str:
    """Return the id of the element that has the focus: `"step-1"`."""
    return str(page.value("document.activeElement.id"))
