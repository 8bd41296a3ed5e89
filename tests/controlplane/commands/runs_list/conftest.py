"""A folder with whole, damaged and other files in place of journals."""

import json
from pathlib import Path

import pytest

from tests.support.recorded_run import RecordedRun


@pytest.fixture
def folder_of_broken_journals(recorded: RecordedRun, tmp_path: Path) -> Path:
    """A folder with six copies of a journal, from the oldest to the newest:

    20260101-120000-killed    ends after the first trial
    20260102-120000-torn      ends in the middle of the line that ends the first trial
    20260103-120000-damaged   has a line that was changed by hand
    20260104-120000-foreign   is not a journal
    20260105-120000-empty
    20260106-120000-whole
    """
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    event_types = [json.loads(line)["type"] for line in lines]

    end_of_trial = event_types.index("trial_ended")
    lines_before_end = lines[:end_of_trial]
    line_of_end = lines[end_of_trial]

    step = event_types.index("step")
    damaged_lines = lines.copy()
    damaged_lines[step] = lines[step].replace(b'"done":', b'"dont":')

    journals = {
        "killed": [*lines_before_end, line_of_end],
        "torn": [*lines_before_end, line_of_end[:100]],
        "damaged": damaged_lines,
        "foreign": [b"hello\n"],
        "empty": [],
        "whole": lines,
    }
    (tmp_path / "runs").mkdir()
    for day, (name, journal_lines) in enumerate(journals.items(), start=1):
        path = tmp_path / "runs" / f"2026010{day}-120000-{name}.jsonl"
        path.write_bytes(b"".join(journal_lines))
    return tmp_path
