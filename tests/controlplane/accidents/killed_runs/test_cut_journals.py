"""A journal that ends in the middle of a line, as after a crash, is resumed to the same steps and scores.

A run of the tasks ada and grace was recorded. Ada's trial has three steps: the lookup, an answer
that a check rejects, and the right answer. Grace's trial has two. The journal is cut in one line
after the other.
"""

from pathlib import Path

import pytest

from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.conducting import close_run
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from tests.support.command import run_in_process
from tests.support.journals.read_events import first_line_with
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

pytestmark = pytest.mark.usefixtures("short_backoff")


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
