"""A run that is killed, or whose journal is cut, is resumed to the scores of an undisturbed one.

A run whose folder is removed, or whose journal another program changes, ends, and no second process
can continue a run that plays.
"""

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
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.conducting import close_run
from controlplane.lifecycle.run_beginnings import reopen_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from tests.support.command import (
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.journals import first_line_with
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

# A run that plays its trials in a process of its own, for a test to disturb.

RUN_OF_16_TRIALS = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")
"""Plays two tasks eight times each, all of them rightly, with a model that is a script."""


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


# A run that is killed some time after its start, and the scores that a command printed of a run.


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


def kill_run(folder: Path, *run_command: str, kill_after_s: float) -> None:
    """Start a run, and kill it this long after its journal has the start of the run.

    `kill_run(folder, "run", "--limit", "5", kill_after_s=0.3)`
    """
    process = start_controlplane(*run_command, cwd=folder)
    wait_for_event("run_started", folder)
    time.sleep(kill_after_s)
    process.kill()
    process.communicate()


# Runs whose journal is removed, or that other processes try to continue, while they play.
#
# A run of 16 trials plays in a process of its own, and is disturbed after one or two. A run that
# cannot record any more ends, so that it does not go on to spend money. While a run plays, it is the
# only process that may write to its journal.

disturbed_runs_pytestmark = pytest.mark.usefixtures("short_backoff")


def test_a_run_whose_folder_is_removed_ends(tmp_path: Path) -> None:
    with run_under_way(tmp_path, ended_trials=2) as run:
        # Renamed first, so that nothing is written into the folder while it is removed.
        removed_folder = (tmp_path / "runs").rename(tmp_path / "removed")
        shutil.rmtree(removed_folder)
        ended = run.wait_for_end()

    check_error_line(
        ended, JournalUnwritable.exit_code, "was removed while it was being written"
    )


@pytest.mark.parametrize("change", [b"", b'{"hello":1}\n'])
def test_a_run_whose_journal_another_program_changes_ends(
    tmp_path: Path, change: bytes
) -> None:
    """The program empties the file, or appends a line of its own. Both spoil the journal."""
    with run_under_way(tmp_path, ended_trials=2) as run:
        mode = "ab" if change else "wb"
        with run.journal.open(mode) as file:
            file.write(change)
        ended = run.wait_for_end()

    check_error_line(
        ended, JournalUnwritable.exit_code, "was changed by another program"
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
    assert ended.code == 0, ended.err
    replay = run_in_process("replay", run.journal, "--verify", cwd=tmp_path)
    assert replay.code == 0


# A journal that ends in the middle of a line, as after a crash, is resumed to the same steps and scores.
#
# A run of the tasks ada and grace was recorded. Ada's trial has three steps: the lookup, an answer
# that a check rejects, and the right answer. Grace's trial has two. The journal is cut in one line
# after the other.

cut_journals_pytestmark = pytest.mark.usefixtures("short_backoff")


def resume_in_this_process(path: Path) -> Journal:
    """Resume the run of a journal, as the command `resume` does, and return its journal.

    A process of its own for each of many journals would take long.
    """
    with reopen_run(path, plays_trials=True) as run:
        run.play_trials()
        submit_run(run)
        close_run(run)
    return open_journal(path)


def steps_of(trial: RecordedTrial) -> list[tuple[object, ...]]:
    """Return the script, its output, and the verdicts of the checks, for each step."""
    return [(step.code, step.output, step.verdicts) for step in trial.steps]


def test_a_journal_cut_in_any_line_resumes_to_the_same_steps_and_scores(
    tmp_path: Path, heavy: bool
) -> None:
    """A crash may leave half of the line that was being written. The light form cuts every
    twelfth line after the run's start, the heavy form every line."""
    run_in_process(
        "run", *PHONEBOOK, "--concurrency", "1", "ada", "grace", cwd=tmp_path
    )
    (complete_journal,) = tmp_path.glob("runs/*.jsonl")
    complete = open_journal(complete_journal)
    lines = complete_journal.read_bytes().splitlines(keepends=True)
    start_line = first_line_with(b'"type":"run_started"', lines)

    for cut in range(start_line + 1, len(lines), 1 if heavy else 12):
        path = tmp_path / f"cut-{cut}.jsonl"
        half_a_line = lines[cut][: len(lines[cut]) // 2]
        path.write_bytes(b"".join(lines[:cut]) + half_a_line)

        resumed = resume_in_this_process(path)

        assert resumed.summary.trials.scores == complete.summary.trials.scores, cut
        for trial_id, trial in complete.trials.items():
            assert steps_of(resumed.trials[trial_id]) == steps_of(trial), cut
        verification = verify(resumed, list(resumed.trials))
        assert verification.steps == 3 + 2


pytestmark = pytest.mark.usefixtures("short_backoff")


# A run that is killed, and then resumed, gets the scores of an undisturbed one.
#
# A run writes what happens to its journal at once, so that `resume` continues from there. `replay
# --verify` then runs all scripts of the model again, and shows that they give the recorded
# outputs.


def check_killed_and_resumed_run(
    folder: Path, *run_command: str, kill_after_s: float
) -> None:
    """Play a run undisturbed; start it again, kill it, and resume it. Assert equal scores.

    The kill comes `kill_after_s` after the journal has the start of the run.
    """
    undisturbed = run_in_process(*run_command, "--json", cwd=folder)
    # Out of the way, so that "last" means the run that is killed.
    (folder / "runs").rename(folder / "undisturbed")

    kill_run(folder, *run_command, kill_after_s=kill_after_s)
    resumed = run_in_process("resume", "last", "--json", cwd=folder)

    assert resumed.code == undisturbed.code
    recorded = run_in_process("show", "last", "--json", cwd=folder)
    assert scores_by_task(recorded) == scores_by_task(undisturbed)
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


def test_a_killed_run_resumes_to_the_scores_of_an_undisturbed_one(
    tmp_path: Path, heavy: bool
) -> None:
    """The run plays tasks of the default benchmark with its own player. The moment of the kill
    is random. The heavy form kills 40 runs of 24 tasks."""
    random_numbers = random.Random(5)
    task_count = 24 if heavy else 5

    for seed in range(40 if heavy else 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        run_command = f"run --quiet --concurrency 4 --limit {task_count} --seed {seed}"
        check_killed_and_resumed_run(
            folder, *run_command.split(), kill_after_s=random_numbers.uniform(0.1, 1.0)
        )
