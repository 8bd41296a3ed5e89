"""Web pages of `controlplane view` show the evil texts of a stranger's journal in a visible form.

A text may break an encoding or steer a terminal: for "\\x1b[31m", a page has "\u241b[31m".
"""

from pathlib import Path

from tests.controlplane.journal.foreign.evil_pages.shown_forms import (
    with_evil_texts,
    write_journal_with,
)
from tests.controlplane.journal.foreign.evil_texts import STEERING_CHARACTERS
from tests.controlplane.report.running_view import serving_view


@with_evil_texts
def test_pages_show_evil_texts_in_a_visible_form(
    evil: str, visible: str, tmp_path: Path
) -> None:
    write_journal_with(evil, tmp_path)

    with serving_view(tmp_path) as view:
        list_of_runs = view.text("/")
        page_of_run = view.text("/runs/theirs")

    assert visible in page_of_run
    assert not STEERING_CHARACTERS.search(page_of_run)
    assert not STEERING_CHARACTERS.search(list_of_runs)
