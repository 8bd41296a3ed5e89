"""A run whose end cannot be recorded, since the disk is full by then, still prints its result.

Everything but the end of the run is in the journal, so that its score is known: "mean score 1.000
over 1 of 1 trial". The command fails nevertheless.
"""

from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunClosed
from tests.support.command import CommandRunner, check_error_line
from tests.support.journals import first_line_with
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

pytestmark = pytest.mark.usefixtures("journals_without_end")


@pytest.fixture
def journals_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every journal refuse the last event of a run, as if the disk were full by then."""
    write = JournalWriter.write

    def write_all_but_the_end(journal: JournalWriter, event: JournalEvent) -> None:
        if isinstance(event, RunClosed):
            raise JournalUnwritable("cannot write the journal: No space left on device")
        write(journal, event)

    monkeypatch.setattr(JournalWriter, "write", write_all_but_the_end)


def test_a_run_whose_end_cannot_be_recorded_still_prints_its_result(
    run_command_here: CommandRunner,
) -> None:
    run = run_command_here("run", *PHONEBOOK, "ada", "--quiet")

    check_error_line(run, JournalUnwritable.exit_code, "No space left on device")
    assert "mean score 1.000 over 1 of 1 trial" in run.out


def test_a_submission_whose_end_cannot_be_recorded_still_prints_the_result(
    run_command_here: CommandRunner,
) -> None:
    run_command_here("run", *PHONEBOOK, "ada", "--quiet")
    # Cut the journal, as if the run had been killed before it was submitted.
    (journal,) = Path().glob("runs/*.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    submission = first_line_with(b'"type":"run_submitted"', lines)
    journal.write_bytes(b"".join(lines[:submission]))

    submitted = run_command_here("submit", str(journal), "--quiet")

    check_error_line(submitted, JournalUnwritable.exit_code, "No space left on device")
    assert "mean score 1.000 over 1 of 1 trial" in submitted.out
