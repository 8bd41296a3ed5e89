"""Reports, and one of them open in a browser."""

from collections.abc import Iterator

import pytest

from tests.controlplane.report.browser.written_reports import (
    WIDE_WINDOW,
    Reports,
    write_reports,
)
from tests.support.browser import Browser


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The files of three reports."""
    return write_reports(tmp_path_factory.mktemp("report"))


@pytest.fixture
def page(browser: Browser, reports: Reports) -> Iterator[Browser]:
    """The report of one run, open in a browser. The test fails if the browser complains,
    or if the report loads anything but itself."""
    browser.complaints.clear()
    browser.size(WIDE_WINDOW)
    browser.open(reports.of_one_run)
    yield browser
    assert browser.complaints == []
    (request,) = browser.requests
    assert request.startswith("file:")
