"""Web pages of `controlplane view` show the evil texts of a stranger's journal in a visible form.

A text may break an encoding or steer a terminal: for "\\x1b[31m", a page has "\u241b[31m".
"""

from tests.controlplane.journal.foreign.evil_pages.shown_forms import with_evil_runs
from tests.controlplane.journal.foreign.evil_texts import STEERING_CHARACTERS
from tests.controlplane.report.served_pages import RunningView


@with_evil_runs
def test_pages_show_evil_texts_in_a_visible_form(
    run: str, visible: str, evil_view: RunningView
) -> None:
    list_of_runs = evil_view.text("/")
    page_of_run = evil_view.text(f"/runs/{run}")

    assert visible in page_of_run
    assert not STEERING_CHARACTERS.search(page_of_run)
    assert not STEERING_CHARACTERS.search(list_of_runs)
