"""A run starts the trials of a benchmark, lets a model play each, and records every event in a journal.

`controlplane run --benchmark tests.support.phonebook --model m` plays a phone book with three
tasks: the numbers of ada (17), grace (42) and edsger (68). The journal is a file of JSON lines.
"""

from pathlib import Path

import pytest

from controlplane.agent.events import StepDone
from controlplane.journal.run_events import (
    RunClosed,
    RunOpened,
    RunPrompts,
    RunSubmitted,
    Scored,
    TrialEnded,
)
from tests.controlplane.lifecycle.runs.phonebook_runs import play_phonebook, reply_on
from tests.support.journals.read_events import read_events


def test_a_run_plays_every_trial_and_prints_the_scores(tmp_path: Path) -> None:
    """The model has no reply on edsger. The harness submits a fallback, which is not a failure of
    the run."""
    run = play_phonebook(
        tmp_path,
        reply_on("ada", answer="OUTCOME_OK: 17"),  # rejected, as it names the outcome
        reply_on("ada", answer="17"),
        reply_on("grace", answer="42"),
        options=("--json",),
    )

    assert run.code == 0, run.err
    ada, grace, edsger = run.json["trials"]
    assert (ada["task_id"], ada["score"]) == ("ada", 1.0)
    assert ada["rejections"] == {"6/wording": 1}
    assert (grace["task_id"], grace["score"]) == ("grace", 1.0)
    assert (edsger["task_id"], edsger["score"]) == ("edsger", 0.0)
    assert edsger["state"] == "fallback"
    assert edsger["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert run.json["score"] == pytest.approx(2 / 3)


def test_the_journal_of_a_run_has_its_events_in_order(tmp_path: Path) -> None:
    """The reader of a journal relies on its first two events and on its last one."""
    play_phonebook(tmp_path, reply_on("ada", answer="17"))

    (journal,) = tmp_path.glob("runs/*.jsonl")
    first, second, *between, last = [type(event) for event in read_events(journal)]
    assert first == RunOpened
    assert second == RunPrompts
    assert {StepDone, TrialEnded, Scored, RunSubmitted} <= set(between)
    assert last == RunClosed
