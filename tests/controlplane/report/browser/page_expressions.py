"""What tests ask a page of `controlplane view`, or of a report, in a real browser.

    page.wait(TRIAL_IS_SHOWN)
    fill_in_field(page, "search", "alpha")
    assert page.value(NOTHING_SCROLLS_SIDEWAYS)

The constants are expressions of JavaScript.
"""

from tests.support.browser import Browser

TRIAL_IS_SHOWN = "!document.getElementById('trial').hidden"
"""True while the page shows a trial instead of the table of trials."""

NOTHING_SCROLLS_SIDEWAYS = """
    document.documentElement.scrollWidth <= innerWidth
    && [...document.querySelectorAll('body *')].every(
        element =>
            element.scrollWidth <= element.clientWidth + 1
            || !/auto|scroll/.test(getComputedStyle(element).overflowX)
    )
"""
"""True if the page fits its window, and each element that could scroll fits its content."""


def fill_in_field(page: Browser, field: str, value: str) -> None:
    """Set the value of a form field, as if the user had typed or chosen it.

    `fill_in_field(page, "search", "alpha")`: `field` is the id of the HTML element.
    """
    page.value(f"""
        (() => {{
            const element = document.getElementById({field!r});
            element.value = {value!r};
            element.dispatchEvent(new Event('input'));
        }})()
    """)
