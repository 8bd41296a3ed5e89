"""Opens `controlplane view`, the web server for recorded runs, in a browser.

    with viewed_runs(browser, folder) as view:
        browser.visit(view.url("/runs/a"))
        assert browser.text("h1") == "first"

"/" lists the runs of the folder, "/runs/a" shows the run of a.jsonl, and "/runs/a#trial-1-1" its
first trial.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.controlplane.report.browser.report_pages import WIDE_WINDOW
from tests.controlplane.report.running_view import serving_view
from tests.controlplane.report.served_pages import RunningView
from tests.support.browser import Browser


@contextmanager
def viewed_runs(
    browser: Browser, folder: Path, journals: str = "."
) -> Iterator[RunningView]:
    """Serve the journals of a folder, and open their list in the browser.

    At the end of the block, asserts that the pages had no errors.
    """
    browser.complaints.clear()
    browser.size(WIDE_WINDOW)
    with serving_view(folder, journals) as view:
        # The address has the token, by which the browser may then read the other pages, too.
        browser.visit(view.address)
        try:
            yield view
            assert browser.complaints == []
        finally:
            leave_page(browser)


def leave_page(browser: Browser) -> None:
    """Open an empty page, which no longer asks a server that ends for news."""
    browser.send("Page.navigate", url="about:blank")
    browser.wait("document.URL === 'about:blank'")
    browser.complaints.clear()
