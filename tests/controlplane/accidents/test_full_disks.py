"""Runs on a disk that becomes full, or can only be read.

A run writes what happens to a journal, a file such as `runs/20260422-0930.jsonl`, at once. If it cannot,
it stops with an error of one line. Nothing that was recorded is lost: `resume` continues from there.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunClosed
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    command,
    run_in_process,
    run_on_full_disk,
)
from tests.support.journals.read_events import first_line_with
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

pytestmark = pytest.mark.usefixtures("short_backoff")

OK = 0

RUN_OF_16_TRIALS = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")
"""Plays two tasks eight times each, all of them rightly, with a model that is a script."""

SMALL_DISK_BYTES = 32 * 1024
"""Room for less than the journal of `RUN_OF_16_TRIALS`."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """The folder of a disk that is soon full."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk that is soon full")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_BYTES}", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def remount(disk: Path, option: str) -> None:
    """Change the mounted disk: "ro" makes it read-only, "size=8m" larger."""
    subprocess.run(["mount", "-o", f"remount,{option}", disk], check=True)


class TestSmallDisks:
    """A disk has room for less than the journal of a run of 16 trials.

    `small_disk` is its folder, a file system in memory that only root can mount. `remount` makes
    it larger, or read-only.
    """

    def test_a_full_disk_keeps_what_was_recorded(
        self, small_disk: Path, tmp_path: Path
    ) -> None:
        """Fill the disk by a run, make the disk larger, and resume the run."""
        stopped = run_in_process(
            *RUN_OF_16_TRIALS, "--runs-dir", small_disk, cwd=tmp_path
        )
        remount(small_disk, "size=8m")

        check_error_line(
            stopped,
            JournalUnwritable.exit_code,
            "cannot write the journal",
            "No space left on device",
            "resumable",
        )
        (journal,) = small_disk.glob("*.jsonl")
        most_of_the_disk = 20_000
        assert open_journal(journal).length >= most_of_the_disk
        resumed = run_in_process("resume", journal, "--json", cwd=tmp_path)
        assert resumed.code == OK, resumed.err
        for trial in resumed.json["trials"]:
            assert trial["score"] is not None
        assert run_in_process("replay", journal, "--verify", cwd=tmp_path).code == OK

    def test_a_journal_on_a_read_only_disk_is_to_be_copied_elsewhere(
        self, small_disk: Path, tmp_path: Path
    ) -> None:
        """`resume` has to write to the journal. The error says what to do."""
        # The small disk stops this run, so that there is something to resume.
        run_in_process(*RUN_OF_16_TRIALS, "--runs-dir", small_disk, cwd=tmp_path)
        (journal,) = small_disk.glob("*.jsonl")
        remount(small_disk, "ro")

        resumed = run_in_process("resume", journal, cwd=tmp_path)

        check_error_line(
            resumed,
            JournalUnwritable.exit_code,
            "cannot write the journal",
            "Read-only file system",
            "copy it to where you may write",
        )


OUTPUT_FAILED = 3
"""The exit code of a command whose result cannot be printed."""


@pytest.fixture
def disk_full_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every journal refuse the last event of a run, as if the disk were full by then."""
    write = JournalWriter.write

    def write_all_but_the_end(journal: JournalWriter, event: JournalEvent) -> None:
        if isinstance(event, RunClosed):
            raise JournalUnwritable("cannot write the journal: No space left on device")
        write(journal, event)

    monkeypatch.setattr(JournalWriter, "write", write_all_but_the_end)


def cut_before_event(event_type: str, journal: Path) -> None:
    """Cut a journal before its first event of this type."""
    lines = journal.read_bytes().splitlines(keepends=True)
    cut = first_line_with(f'"type":"{event_type}"'.encode(), lines)
    journal.write_bytes(b"".join(lines[:cut]))


class TestUnprintedResults:
    """The disk is full when a command prints its result, or when a run records its end.

    A result that was not printed must not look like a success. One that was computed is still
    printed if only the journal cannot be written. `PHONEBOOK` are the options of a benchmark
    of the tests, and of a model that solves its task ada.
    """

    @pytest.mark.parametrize(
        "words",
        [
            pytest.param(("benchmarks", "list"), id="benchmarks list"),
            pytest.param(("show", ROOT / "runs/sample.jsonl", "--json"), id="show"),
            pytest.param(("--version",), id="--version"),
        ],
    )
    def test_a_result_that_cannot_be_printed_gives_an_error_of_one_line(
        self, words: tuple[str | Path, ...], tmp_path: Path
    ) -> None:
        """Standard output goes to a file on a full disk."""
        result = run_on_full_disk(command(words), tmp_path)

        check_error_line(
            result,
            OUTPUT_FAILED,
            "the result cannot be printed: No space left on device",
        )

    @pytest.mark.usefixtures("disk_full_at_the_end")
    def test_a_run_whose_end_cannot_be_recorded_still_prints_its_result(
        self, run_command_here: CommandRunner
    ) -> None:
        """Everything but the end of the run is in the journal, so that its score is known. The same
        holds for `submit`, which the test calls for a run whose submission is not recorded."""
        run = run_command_here("run", *PHONEBOOK, "ada", "--quiet")
        (journal,) = Path().glob("runs/*.jsonl")
        cut_before_event("run_submitted", journal)

        submitted = run_command_here("submit", str(journal), "--quiet")

        for result in (run, submitted):
            check_error_line(
                result, JournalUnwritable.exit_code, "No space left on device"
            )
            assert "mean score 1.000 over 1 of 1 trial" in result.out
