"""A run on a disk that becomes full, or can only be read, stops with an error of one line.

A run writes what happens to a journal, a file such as `runs/20260422-0930.jsonl`, at once. Nothing
that was recorded is lost: `resume` continues from there.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable, Unreachable
from controlplane.journal.journal_reader import open_journal
from tests.support.command import check_error_line, run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK
from tests.support.product_files import ROOT


@pytest.fixture
def disk_of_32_kb(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a disk in memory, which is full before the run is over."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


pytestmark = pytest.mark.usefixtures("short_backoff")

SAMPLE = ROOT / "runs/sample.jsonl"

RUN_OF_16_TRIALS = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")
"""Plays two tasks eight times each. Its journal takes about 180 KB."""


def remount(disk: Path, option: str) -> None:
    """Change the mounted disk: "ro" makes it read-only, "size=8m" larger."""
    subprocess.run(["mount", "-o", f"remount,{option}", disk], check=True)


def test_a_run_on_a_full_disk_stops_and_can_be_resumed_on_a_larger_one(
    disk_of_32_kb: Path, tmp_path: Path
) -> None:
    # The run fills the disk, and stops with an error. What it could write is kept.
    stopped = run_in_process(
        *RUN_OF_16_TRIALS, "--runs-dir", disk_of_32_kb, cwd=tmp_path
    )

    check_error_line(
        stopped,
        JournalUnwritable.exit_code,
        "cannot write the journal",
        "No space left on device",
        "resumable",
    )
    (journal,) = disk_of_32_kb.glob("*.jsonl")
    assert open_journal(journal).length >= 20_000  # bytes; the disk has 32 KB

    # Once there is more room, the run can be ended.
    remount(disk_of_32_kb, "size=8m")
    resumed = run_in_process("resume", journal, "--json", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    scores = [trial["score"] for trial in resumed.json["trials"]]
    assert len(scores) == 16
    assert None not in scores
    verified = run_in_process("replay", journal, "--verify", cwd=tmp_path)
    assert verified.code == 0, verified.out


def test_a_journal_on_a_read_only_disk_is_to_be_copied_elsewhere(
    disk_of_32_kb: Path, tmp_path: Path
) -> None:
    """`resume` has to write to the journal. The error says what to do."""
    # The full disk stops this run, so that there is something to resume.
    run_in_process(*RUN_OF_16_TRIALS, "--runs-dir", disk_of_32_kb, cwd=tmp_path)
    (journal,) = disk_of_32_kb.glob("*.jsonl")

    remount(disk_of_32_kb, "ro")
    resumed = run_in_process("resume", journal, cwd=tmp_path)

    check_error_line(
        resumed,
        JournalUnwritable.exit_code,
        "cannot write the journal",
        "Read-only file system",
        "copy it to where you may write",
    )


@pytest.mark.parametrize(
    ("command", "name"),
    [
        pytest.param(("export", SAMPLE, "--to"), "calls.csv", id="a table"),
        pytest.param(("export", SAMPLE, "--to"), "otel.jsonl", id="spans"),
        pytest.param(("report", SAMPLE, "-o"), "report.html", id="a report"),
    ],
)
def test_a_file_that_does_not_fit_is_not_written_in_part(
    command: tuple[str | Path, ...], name: str, disk_of_32_kb: Path, tmp_path: Path
) -> None:
    """Half of a table would look like a whole one. What was there before stays."""
    target = disk_of_32_kb / name
    target.write_text("before")

    refused = run_in_process(*command, target, cwd=tmp_path)

    check_error_line(refused, Unreachable.exit_code, "cannot write", "No space left")
    assert target.read_text() == "before"
    assert [path.name for path in disk_of_32_kb.iterdir()] == [name]
