"""Runs that are killed, and journals that end in the middle of a line.

A run writes what happens to its journal at once. So `resume` continues from the journal to the same
scores, and `replay --verify` shows that the scripts of the models give the recorded outputs.
"""

import random
import time
from pathlib import Path

import pytest

from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_end import close_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from tests.support.command import (
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.journals.read_events import first_line_with
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

pytestmark = pytest.mark.usefixtures("short_backoff")

OK = 0


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
    folder: Path, *run_command: str, kill_after_s: float
) -> None:
    """Play a run undisturbed; start it again, kill it, and resume it. Assert equal scores.

    The kill comes `kill_after_s` after the journal has the start of the run.
    """
    undisturbed = run_in_process(*run_command, "--json", cwd=folder)
    # Out of the way, so that "last" means the run that is killed.
    (folder / "runs").rename(folder / "undisturbed")

    process = start_controlplane(*run_command, cwd=folder)
    wait_for_event("run_started", folder)
    time.sleep(kill_after_s)
    process.kill()
    process.communicate()
    resumed = run_in_process("resume", "last", "--json", cwd=folder)

    assert resumed.code == undisturbed.code
    recorded = run_in_process("show", "last", "--json", cwd=folder)
    assert scores_by_task(recorded) == scores_by_task(undisturbed)
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == OK


class TestKilledRuns:
    """A run is played undisturbed, and again with a kill and `resume`: the scores are the same.

    1. The run is played to its end, and its journal is put aside.
    2. It is started again, and killed some tenths of a second after its start.
    3. It is resumed. `replay --verify` then runs all scripts again, and compares their outputs.
    """

    def test_a_killed_run_resumes_to_the_scores_of_an_undisturbed_one(
        self, tmp_path: Path, heavy: bool
    ) -> None:
        """The run plays tasks of the default benchmark with its own player. The moment of the kill
        is random. The heavy form kills 40 runs of 24 tasks."""
        random_numbers = random.Random(5)
        task_count = 24 if heavy else 5

        for seed in range(40 if heavy else 1):
            folder = tmp_path / str(seed)
            folder.mkdir()
            run_command = (
                f"run --quiet --concurrency 4 --limit {task_count} --seed {seed}"
            )
            check_killed_and_resumed_run(
                folder,
                *run_command.split(),
                kill_after_s=random_numbers.uniform(0.1, 1.0),
            )


@pytest.fixture
def complete_journal(tmp_path: Path) -> Path:
    """The journal of a run that plays the tasks ada and grace, one after the other.

    Ada's trial has three steps: the lookup, an answer that a check of the harness rejects, and the
    right answer. Grace's trial has two: the lookup and the answer.
    """
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


class TestCutJournals:
    """A journal of two trials ends in the middle of a line, as after a crash.

    Ada's trial has three steps: the lookup, an answer that a check rejects, and the right answer.
    Grace's trial has two. The journal is cut in one line after the other, and resumed each time.
    """

    def test_a_journal_cut_in_any_line_resumes_to_the_same_steps_and_scores(
        self, complete_journal: Path, tmp_path: Path, heavy: bool
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
            assert verification.steps == 3 + 2
