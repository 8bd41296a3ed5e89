"""A result that was not printed must not look like a success, and one that is known is printed.

The disk is full when a command prints its result, or when a run records its end.
"""

from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunClosed
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    command,
    run_on_full_disk,
)
from tests.support.journals.read_events import first_line_with
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("benchmarks", "list"), id="benchmarks list"),
        pytest.param(("show", ROOT / "runs/sample.jsonl", "--json"), id="show"),
        pytest.param(("--version",), id="--version"),
    ],
)
def test_a_result_that_cannot_be_printed_gives_an_error_of_one_line(
    words: tuple[str | Path, ...], tmp_path: Path
) -> None:
    """Standard output goes to a file on a full disk."""
    result = run_on_full_disk(command(words), tmp_path)

    output_failed = 3  # the exit code
    check_error_line(
        result,
        output_failed,
        "the result cannot be printed: No space left on device",
    )


@pytest.fixture
def journals_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every journal refuse the last event of a run, as if the disk were full by then."""
    write = JournalWriter.write

    def write_all_but_the_end(journal: JournalWriter, event: JournalEvent) -> None:
        if isinstance(event, RunClosed):
            raise JournalUnwritable("cannot write the journal: No space left on device")
        write(journal, event)

    monkeypatch.setattr(JournalWriter, "write", write_all_but_the_end)


@pytest.mark.usefixtures("journals_without_end")
class TestUnrecordedEnds:
    """Everything but the end of the run is in the journal, so that its score is known."""

    def test_a_run_whose_end_cannot_be_recorded_still_prints_its_result(
        self, run_command_here: CommandRunner
    ) -> None:
        run = run_command_here("run", *PHONEBOOK, "ada", "--quiet")

        check_error_line(run, JournalUnwritable.exit_code, "No space left on device")
        assert "mean score 1.000 over 1 of 1 trial" in run.out

    def test_a_submission_whose_end_cannot_be_recorded_still_prints_the_result(
        self, run_command_here: CommandRunner
    ) -> None:
        run_command_here("run", *PHONEBOOK, "ada", "--quiet")
        # Cut the journal, as if the run had been killed before it was submitted.
        (journal,) = Path().glob("runs/*.jsonl")
        lines = journal.read_bytes().splitlines(keepends=True)
        submission = first_line_with(b'"type":"run_submitted"', lines)
        journal.write_bytes(b"".join(lines[:submission]))

        submitted = run_command_here("submit", str(journal), "--quiet")

        check_error_line(
            submitted, JournalUnwritable.exit_code, "No space left on device"
        )
        assert "mean score 1.000 over 1 of 1 trial" in submitted.out
