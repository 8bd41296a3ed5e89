"""A page of `controlplane view` says when the connection to its server is lost.

The page asks the server for news as long as the run plays.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.viewed_runs import leave_page
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.running_view import serving_view
from tests.controlplane.report.trial_events import trial_events
from tests.controlplane.report.unfinished_journal import unfinished_journal
from tests.support.browser import Browser

pytestmark = pytest.mark.second_tier


@pytest.fixture
def page_to_leave(browser: Browser) -> Iterator[Browser]:
    """A page that is left after the test. Otherwise it would go on asking its server, which has
    ended, and the browser, which other tests use, would record the errors."""
    yield browser
    leave_page(browser)


def test_a_page_says_that_the_connection_to_its_server_is_lost(
    page_to_leave: Browser, tmp_path: Path
) -> None:
    """The note, an element with the id "lost", is hidden until the server has ended."""
    page = page_to_leave
    start, opening, *_ = trial_events("a", ReportedTrial("a"))
    with unfinished_journal(tmp_path / "live.jsonl", "a") as writer:
        writer.write(start)
        writer.write(opening)
        with serving_view(tmp_path) as view:
            # The address of the list of runs has a token, without which no other page is shown.
            page.visit(view.address)
            page.visit(view.url("/runs/live"))
            page.wait_for("#h-live")  # the part on running trials
            page.value("location.hash = 'trial-1-1'")
            page.wait(TRIAL_IS_SHOWN)
            assert page.value("document.getElementById('lost').hidden") is True

        # The server has ended.
        page.wait("!document.getElementById('lost').hidden")
