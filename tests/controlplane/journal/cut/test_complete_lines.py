"""A journal that breaks off anywhere has the events of its complete lines.

A journal is a file of JSON lines, one for each event of a run. A kill or a full disk may cut the line
that is being written; the journal is then "torn". `TWO_TRIALS_EVENTS` are the events of a run of two
trials. Some lengths are tried, in the heavy form each.
"""

from pathlib import Path

import pytest

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.tried_positions import tried_positions
from tests.support.journals.read_events import read_events
from tests.support.journals.sample_events import TWO_TRIALS_EVENTS, write_journal


def count_complete_events(journal_bytes: bytes) -> int:
    """Return how many events the complete lines have.

    A line of the type `text` is not an event: it stores a long text of a later line.
    """
    count = 0
    for line in journal_bytes.splitlines(keepends=True):
        if line.endswith(b"\n") and b'"type":"text"' not in line:
            count += 1
    return count


def test_a_journal_cut_anywhere_has_the_events_of_its_complete_lines(
    tmp_path: Path, heavy: bool
) -> None:
    journal_bytes = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS).read_bytes()
    end_of_first_line = journal_bytes.index(b"\n") + 1
    cut_path = tmp_path / "cut.jsonl"

    for length in tried_positions(journal_bytes, heavy):
        if length < end_of_first_line:
            continue
        kept_bytes = journal_bytes[:length]
        cut_path.write_bytes(kept_bytes)

        events = list(read_events(cut_path))
        with open_journal(cut_path) as journal:
            is_torn = journal.is_torn

        assert len(events) == count_complete_events(kept_bytes)
        assert events == TWO_TRIALS_EVENTS[: len(events)]
        assert is_torn == (not kept_bytes.endswith(b"\n"))


def test_a_journal_cut_in_its_first_line_is_refused(
    tmp_path: Path, heavy: bool
) -> None:
    """Without one complete line, nothing tells that the file is a journal."""
    journal_bytes = write_journal(tmp_path / "r.jsonl", TWO_TRIALS_EVENTS).read_bytes()
    end_of_first_line = journal_bytes.index(b"\n") + 1
    cut_path = tmp_path / "cut.jsonl"

    for length in tried_positions(journal_bytes[:end_of_first_line], heavy):
        cut_path.write_bytes(journal_bytes[:length])

        with pytest.raises(ControlPlaneError):
            list(read_events(cut_path))
