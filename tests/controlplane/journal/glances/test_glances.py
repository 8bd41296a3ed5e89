"""A glance at a journal reads less than all of it, and gives the result of reading every event.

`glance_at(path)` returns the summary of a run: its trials, scores and costs. If the journal is damaged,
it has to raise the same error, too. `changed_journals` and `rewritten_journals` change the lines of a
journal in various ways.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.journal.journal_reader import glance_at
from tests.controlplane.journal.glances import changed_journals, rewritten_journals
from tests.controlplane.journal.glances.shown_summaries import (
    shown_summary,
    summary_of_all_events,
)
from tests.support.recorded_run import RecordedRun


@pytest.mark.parametrize(
    "change",
    [
        changed_journals.unchanged,
        changed_journals.first_half,
        changed_journals.last_line_torn,
        changed_journals.without_last_line_feed,
        changed_journals.without_sixth_line,
        changed_journals.time_of_tenth_line_changed,
        changed_journals.time_of_first_line_changed,
        changed_journals.other_text_behind_fourth_line,
        changed_journals.other_text_without_line_feed_behind_fourth_line,
        changed_journals.first_line_torn,
        changed_journals.a_letter,
        changed_journals.other_json,
        changed_journals.nothing,
        rewritten_journals.new_chain_without_marks,
        rewritten_journals.new_chain_without_first_event,
        rewritten_journals.other_version,
        rewritten_journals.unknown_field_in_last_event,
    ],
)
def test_a_glance_at_a_journal_shows_what_reading_all_of_it_shows(
    change: Callable[[list[bytes]], bytes],
    recorded: RecordedRun,
    tmp_path: Path,
) -> None:
    """`recorded` is a finished run of 25 trials."""
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    changed_path = tmp_path / "changed.jsonl"
    changed_path.write_bytes(change(lines))

    glance = shown_summary(glance_at, changed_path)

    assert glance == shown_summary(summary_of_all_events, changed_path)
