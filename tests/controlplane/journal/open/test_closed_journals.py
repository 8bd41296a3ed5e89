"""An open journal holds its file open, and closes it when it is closed or not used any more.

`open_journal(path)` reads a journal, a file of JSON lines, only as far as it is asked to: a trial reads
its events from the file later.
"""

import pytest

from controlplane.errors import JournalDamaged
from controlplane.journal.journal_reader import open_journal
from tests.support.command import ROOT, run_python

OPEN_AND_FORGET_JOURNALS = """
import gc, os, pathlib, sys
from controlplane import open_journal

open_files_before = len(os.listdir("/proc/self/fd"))
for _ in range(3):
    journal = open_journal(pathlib.Path(sys.argv[1]))
    first_trial, *_ = journal.trials.values()
    print(len(first_trial.steps))
    del journal, first_trial
gc.collect()
assert len(os.listdir("/proc/self/fd")) == open_files_before
"""
"""A program that opens a journal three times, reads in it, and does not close it."""


def test_a_closed_journal_cannot_be_read() -> None:
    """A trial reads its events from the file when it is asked for them."""
    journal = open_journal(ROOT / "runs/sample.jsonl")
    first_trial, *_ = journal.trials.values()
    journal.close()
    journal.close()  # A second time changes nothing.

    with pytest.raises(JournalDamaged, match="closed"):
        list(first_trial.events())


def test_a_journal_that_is_not_used_any_more_closes_its_file() -> None:
    """The option `-W error` prints a line if Python has to close a file itself."""
    sample = ROOT / "runs/sample.jsonl"  # the journal of a small run

    result = run_python("-W", "error", "-c", OPEN_AND_FORGET_JOURNALS, sample)

    assert result.code == 0, result.err
    assert result.err == ""
