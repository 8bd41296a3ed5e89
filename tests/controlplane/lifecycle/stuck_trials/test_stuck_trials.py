"""A trial that does not come back, as a call of it never returns, does not hold up its run.

The benchmark is a phone book with the tasks ada and grace, which are played one after the other.
The first lookup, in the trial of ada, takes an hour. The trial has 1 s, and is given up half a
second later: it stays open, and can be resumed.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane import Trial
from controlplane.errors import Interrupted, Unreachable
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.sandbox.interface import Plain, bounds
from tests.support import phonebook
from tests.support.command import CommandResult, run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER, Phonebook


@pytest.fixture
def stuck_calls(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Plain]]:
    """Let the first lookup in the phone book not return for an hour.

    Once this call is made, the list has its arguments: `[{"name": "ada"}]`.
    """
    look_up = phonebook.look_up
    stuck_calls: list[Mapping[str, Plain]] = []

    def look_up_or_hang(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if not stuck_calls:
            stuck_calls.append(arguments)
            time.sleep(3600)
        return look_up(arguments)

    monkeypatch.setattr(phonebook, "look_up", look_up_or_hang)
    # A trial is given up if nothing comes from it for this long after its time is over.
    monkeypatch.setattr(bounds, "TRIAL_SILENCE_S", 0.5)
    return stuck_calls


# A run of the tasks ada and grace of a phone book, one after the other, whose first lookup is stuck.


def play_ada_and_grace(folder: Path, *, trial_time: str = "1") -> CommandResult:
    """Run both tasks. A trial has `trial_time` seconds, and is given up half a second later."""
    return run_in_process(
        "run",
        *PHONEBOOK_WITH_PLAYER,
        "ada",
        "grace",
        "--concurrency",
        "1",
        "--trial-time",
        trial_time,
        "--step-time",
        "1",
        "--json",
        cwd=folder,
    )


def journal_of(folder: Path) -> Path:
    """Return the journal of the only run in a folder: `<folder>/runs/20260422-0930.jsonl`."""
    (path,) = (folder / "runs").glob("*.jsonl")
    return path


def test_a_run_goes_on_without_a_trial_that_does_not_come_back(
    stuck_calls: list[Mapping[str, Plain]], tmp_path: Path
) -> None:
    result = play_ada_and_grace(tmp_path)

    assert stuck_calls == [{"name": "ada"}]
    assert result.code == Unreachable.exit_code
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert trials["ada"]["state"] == "open"
    assert trials["grace"]["score"] == 1.0
    assert "did not come back" in journal_of(tmp_path).read_text()


def test_a_trial_is_given_up_by_the_time_that_its_task_allows(
    stuck_calls: list[Mapping[str, Plain]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run allows its trials 20 s, and each task of the phone book 1 s."""
    start_trial = Phonebook.start_trial

    def start_short_trial(benchmark: Phonebook, trial_id: str) -> Trial:
        return replace(start_trial(benchmark, trial_id), time_limit_s=1)

    monkeypatch.setattr(Phonebook, "start_trial", start_short_trial)

    play_ada_and_grace(tmp_path, trial_time="20")

    assert stuck_calls == [{"name": "ada"}]
    reason = re.search(
        r"nothing was heard of it for (\d+) s", journal_of(tmp_path).read_text()
    )
    assert reason is not None
    assert int(reason[1]) < 20


def test_an_interrupted_run_ends_although_a_trial_does_not_come_back(
    stuck_calls: list[Mapping[str, Plain]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run is interrupted, as by Ctrl-C, when the model has replied in the trial of ada."""
    emit = Run.emit

    def emit_and_interrupt(run: Run, event: JournalEvent) -> None:
        emit(run, event)
        if event.type == "model_replied":
            run.interrupt()

    monkeypatch.setattr(Run, "emit", emit_and_interrupt)

    result = play_ada_and_grace(tmp_path)

    assert stuck_calls == [{"name": "ada"}]
    assert result.code == Interrupted.exit_code
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert trials["ada"]["state"] == "open"
    assert trials["grace"]["score"] is None
    assert "did not come back" in journal_of(tmp_path).read_text()
