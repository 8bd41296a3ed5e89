"""A journal with one event behind its beginning, and two ways to read it.

For example:

    path = journal_with('{"at_ms": 1, "type": "notice", "trial_id": "t", "text": ""}', folder)
    read_all_trials(path)        raises JournalDamaged if the line is odd
"""

from pathlib import Path

from controlplane.journal.journal_reader import Journal, open_journal
from tests.controlplane.journal.foreign.journal_bytes import journal_of


def journal_with(event: str, folder: Path) -> Path:
    """Write a journal: two lines that start the run of the trial `t`, and the JSON of this event."""
    path = folder / "r.jsonl"
    path.write_bytes(journal_of(event.encode()))
    return path


def read_all_trials(path: Path) -> None:
    """Read every event, trial by trial, as most commands do."""
    for trial in open_journal(path).trials.values():
        list(trial.events())


def read_all_lines(path: Path) -> None:
    """Read every event, line by line, as `show --follow` does."""
    list(Journal(path).read_on())
