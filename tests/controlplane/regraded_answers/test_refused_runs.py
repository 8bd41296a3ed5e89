"""`judge --grader` refuses a run whose end cannot be rebuilt, or only with other data.

A grader looks at the files at the end of a trial. Without them, its score would mean nothing.
"""

from pathlib import Path

from controlplane.errors import UsageError
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunOpened
from tests.support.command import ROOT, CommandRunner, check_error_line
from tests.support.journals.read_events import read_events
from tests.support.recorded_run import RecordedRun


def copy_with_other_version_of_worlds(source: Path, folder: Path) -> Path:
    """Copy a journal as if its tasks had been played in another version of the worlds.

    The versions of all parts are in the event that opens the run.
    """
    copy = folder / "other-worlds.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                versions = event.versions.model_copy(update={"world": "another"})
                event = event.model_copy(update={"versions": versions})
            journal.write(event)
    return copy


def test_a_benchmark_that_cannot_rebuild_its_trials_cannot_be_graded_again(
    recorded: RecordedRun, run_command_here: CommandRunner
) -> None:
    """The benchmark of the run "first" cannot make the data of a trial as they were at its
    end."""
    refused = run_command_here("judge", "--grader", str(recorded.journal))

    check_error_line(refused, UsageError.exit_code, "cannot rebuild the end state")


def test_a_run_in_another_version_of_the_worlds_cannot_be_graded_again(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """`--trust` says that the journal, which has been changed, is to be taken as one's own."""
    # A journal in the repository: one trial of three steps, calendar-date.1.
    sample_journal = ROOT / "runs/sample.jsonl"
    journal = copy_with_other_version_of_worlds(sample_journal, tmp_path)
    refused = run_command_here("judge", "--grader", str(journal), "--trust")

    check_error_line(refused, UsageError.exit_code, "cannot be graded again")
