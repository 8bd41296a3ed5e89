"""Accidents around a run on its own machine: a full disk, a removed folder, a kill.

A run writes what happens to a journal, a file such as `runs/20260422-0930.jsonl`, at once. So an
accident loses nothing that was recorded: `controlplane resume` continues from the journal to the
same scores, and `controlplane replay --verify` shows that its scripts give the recorded outputs.
"""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.run_events import JournalEvent, RunClosed
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_end import close_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    command,
    run_in_process,
    run_on_full_disk,
    start_controlplane,
    wait_until,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK
from tests.support.scored_journal import first_line_with

pytestmark = pytest.mark.usefixtures("short_backoff")

OK = 0

RUN_OF_16_TRIALS = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")
"""Plays two tasks eight times each, all of them rightly, with a model that is a script."""

# --- A disk that is full, or can only be read ---

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


def test_a_full_disk_keeps_what_was_recorded(small_disk: Path, tmp_path: Path) -> None:
    """Fill the disk by a run, make the disk larger, and resume the run."""
    stopped = run_in_process(*RUN_OF_16_TRIALS, "--runs-dir", small_disk, cwd=tmp_path)
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
    small_disk: Path, tmp_path: Path
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

    check_error_line(
        result,
        OUTPUT_FAILED,
        "the result cannot be printed: No space left on device",
    )


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


@pytest.mark.usefixtures("disk_full_at_the_end")
def test_a_run_whose_end_cannot_be_recorded_still_prints_its_result(
    run_command_here: CommandRunner,
) -> None:
    """Everything but the end of the run is in the journal, so that its score is known. The same
    holds for `submit`, which the test calls for a run whose submission is not recorded."""
    run = run_command_here("run", *PHONEBOOK, "ada", "--quiet")
    (journal,) = Path().glob("runs/*.jsonl")
    cut_before_event("run_submitted", journal)

    submitted = run_command_here("submit", str(journal), "--quiet")

    for result in (run, submitted):
        check_error_line(result, JournalUnwritable.exit_code, "No space left on device")
        assert "mean score 1.000 over 1 of 1 trial" in result.out


# --- A run that something else happens to while it plays ---


def count_ended_trials(journal: Path) -> int:
    """Return how many trials have ended in a journal so far."""
    return journal.read_bytes().count(b'"type":"trial_ended"')


class RunUnderWay(NamedTuple):
    """A run that plays its trials, in a process of its own."""

    process: subprocess.Popen[str]
    journal: Path

    def wait_for_end(self) -> CommandResult:
        """Wait until the process ends by itself, and return its result."""
        out, err = self.process.communicate(timeout=60)
        return CommandResult(self.process.returncode, out, err)


@contextmanager
def run_under_way(folder: Path, *, ended_trials: int) -> Iterator[RunUnderWay]:
    """Start a run of a few seconds, and yield it once this number of trials has ended.

    The process is killed at the end of the block if it still runs.
    """
    runs = folder / "runs"

    def has_ended_trials() -> bool:
        journals = list(runs.glob("*.jsonl"))
        return any(count_ended_trials(journal) >= ended_trials for journal in journals)

    process = start_controlplane(*RUN_OF_16_TRIALS, "--set", "delay_s=0.2", cwd=folder)
    with process:
        try:
            wait_until(has_ended_trials)
            (journal,) = runs.glob("*.jsonl")
            yield RunUnderWay(process, journal)
        finally:
            process.kill()


def test_a_run_whose_folder_is_removed_ends(tmp_path: Path) -> None:
    """A run that cannot record any more must not go on to spend money."""
    with run_under_way(tmp_path, ended_trials=2) as run:
        # Renamed first, so that nothing is written into the folder while it is removed.
        removed_folder = (tmp_path / "runs").rename(tmp_path / "removed")
        shutil.rmtree(removed_folder)
        ended = run.wait_for_end()

    check_error_line(
        ended,
        JournalUnwritable.exit_code,
        "was removed while it was being written",
    )


def test_no_second_process_can_continue_a_run_that_plays(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """While a run plays, other commands try to resume, submit and poll it (ask for its scores).
    All are refused, and the run is not disturbed."""
    with run_under_way(tmp_path, ended_trials=1) as run:
        resumed = run_command_here("resume", str(run.journal))
        submitted = run_command_here("submit", "--force", str(run.journal))
        polled = run_command_here("poll", str(run.journal))
        ended = run.wait_for_end()

    check_error_line(
        resumed, UsageError.exit_code, "another process is writing", "stop it first"
    )
    for result in (submitted, polled):
        check_error_line(
            result,
            UsageError.exit_code,
            "another process is conducting",
            "follow it with",
            "show",
            "--follow",
        )
    assert ended.code == OK, ended.err
    replay = run_in_process("replay", run.journal, "--verify", cwd=tmp_path)
    assert replay.code == OK


# --- Kills and crashes ---


def wait_for_event(event_type: str, folder: Path) -> None:
    """Wait until a journal of the folder has an event of this type."""
    event_text = f'"type":"{event_type}"'.encode()

    def has_event() -> bool:
        journals = list(folder.glob("runs/*"))
        return any(event_text in journal.read_bytes() for journal in journals)

    wait_until(has_event)


def scores_by_task(result: CommandResult) -> dict[str, float]:
    """Return the scores in the JSON that a command printed about a run: `{"calendar-date.1": 1.0}`.

    Each task has one trial.
    """
    return {trial["task_id"]: trial["score"] for trial in result.json["trials"]}


def check_killed_and_resumed_run(
    folder: Path, *flags: str, kill_after_s: float
) -> None:
    """Play a run undisturbed; start it again, kill it, and resume it. Assert equal scores.

    The kill comes `kill_after_s` after the journal has the start of the run.
    """
    undisturbed = run_in_process("run", *flags, "--json", cwd=folder)
    # Out of the way, so that "last" means the run that is killed.
    (folder / "runs").rename(folder / "undisturbed")

    process = start_controlplane("run", *flags, cwd=folder)
    wait_for_event("run_started", folder)
    time.sleep(kill_after_s)
    process.kill()
    process.communicate()
    resumed = run_in_process("resume", "last", "--json", cwd=folder)

    assert resumed.code == undisturbed.code
    recorded = run_in_process("show", "last", "--json", cwd=folder)
    assert scores_by_task(recorded) == scores_by_task(undisturbed)
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == OK


def test_a_killed_run_resumes_to_the_scores_of_an_undisturbed_one(
    tmp_path: Path, heavy: bool
) -> None:
    """The run plays tasks of the default benchmark with its own player. The moment of the kill is
    random. The heavy form kills 40 runs of 24 tasks."""
    random_numbers = random.Random(5)
    rounds = 40 if heavy else 1
    task_count = 24 if heavy else 5

    for seed in range(rounds):
        folder = tmp_path / str(seed)
        folder.mkdir()
        check_killed_and_resumed_run(
            folder,
            "--quiet",
            "--concurrency",
            "4",
            "--limit",
            str(task_count),
            "--seed",
            str(seed),
            kill_after_s=random_numbers.uniform(0.1, 1.0),
        )


# Steps of the two trials below, whose model is a file of replies.
STEPS_OF_ADA = 3
"""The lookup, an answer that a check of the harness rejects, and the right answer."""
STEPS_OF_GRACE = 2
"""The lookup and the answer."""


@pytest.fixture
def complete_journal(tmp_path: Path) -> Path:
    """The journal of a run that plays the tasks ada and grace, one after the other."""
    run_in_process(
        "run", *PHONEBOOK, "--concurrency", "1", "ada", "grace", cwd=tmp_path
    )
    (journal,) = tmp_path.glob("runs/*.jsonl")
    return journal


def resume_in_this_process(path: Path) -> Journal:
    """Resume the run of a journal, as the command `resume` does, and return its journal.

    A process of its own for each of many journals would take long.
    """
    with reopen_run(path, plays_trials=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)
        close_run(run)
    return open_journal(path)


def steps_of(trial: RecordedTrial) -> list[tuple[object, ...]]:
    """Return the script, its output, and the verdicts of the checks, for each step."""
    return [(step.code, step.output, step.verdicts) for step in trial.steps]


def test_a_journal_cut_in_any_line_resumes_to_the_same_steps_and_scores(
    complete_journal: Path, tmp_path: Path, heavy: bool
) -> None:
    """A crash may leave half of the line that was being written. The light form cuts every
    twelfth line after the run's start, the heavy form every line."""
    complete = open_journal(complete_journal)
    lines = complete_journal.read_bytes().splitlines(keepends=True)
    start_line = first_line_with(b'"type":"run_started"', lines)
    lines_between_cuts = 1 if heavy else 12

    for cut in range(start_line + 1, len(lines), lines_between_cuts):
        path = tmp_path / f"cut-{cut}.jsonl"
        half_a_line = lines[cut][: len(lines[cut]) // 2]
        path.write_bytes(b"".join(lines[:cut]) + half_a_line)

        resumed = resume_in_this_process(path)

        assert resumed.summary.trials.scores == complete.summary.trials.scores, cut
        for trial_id, trial in complete.trials.items():
            assert steps_of(resumed.trials[trial_id]) == steps_of(trial), cut
        verification = verify(resumed, list(resumed.trials))
        assert verification.steps == STEPS_OF_ADA + STEPS_OF_GRACE
