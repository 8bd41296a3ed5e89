"""A trial that does not come back, as a call of it never returns, does not hold up its run.

The benchmark is a phone book with the tasks ada and grace, which are played one after the other. The
first lookup, in the trial of ada, takes an hour. A trial has 1 s, and is given up half a second later.
"""

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from controlplane.errors import Interrupted, Unreachable
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.sandbox.interface import Plain, bounds
from tests.support import phonebook
from tests.support.command import run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER

STUCK_S = 3600
"""How long the stuck lookup takes: far longer than any test."""


@pytest.fixture
def stuck_lookups(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Plain]]:
    """Let the first lookup in the phone book not return for an hour.

    The list holds the arguments of that call once it is made.
    """
    look_up = phonebook.look_up
    stuck_calls: list[Mapping[str, Plain]] = []

    def look_up_or_hang(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if not stuck_calls:
            stuck_calls.append(arguments)
            time.sleep(STUCK_S)
        return look_up(arguments)

    monkeypatch.setattr(phonebook, "look_up", look_up_or_hang)
    # A trial is given up if nothing comes from it for this long after its time is over.
    monkeypatch.setattr(bounds, "TRIAL_SILENCE_S", 0.5)
    return stuck_calls


ADA_THEN_GRACE = (
    "run",
    *PHONEBOOK_WITH_PLAYER,
    "ada",
    "grace",
    "--concurrency",
    "1",
    "--trial-time",
    "1",
    "--step-time",
    "1",
    "--json",
)
"""Plays the task ada, whose lookup is stuck, and then grace."""


def journal_of(folder: Path) -> Path:
    """Return the journal of the only run in a folder."""
    (path,) = (folder / "runs").glob("*.jsonl")
    return path


class TestStuckTrials:
    """The trial of ada is stuck in its first lookup, and is given up.

    It stays open, so that it can be resumed. `stuck_lookups` has the arguments of the call that
    does not return.
    """

    def test_a_run_goes_on_without_a_trial_that_does_not_come_back(
        self, stuck_lookups: list[Mapping[str, Plain]], tmp_path: Path
    ) -> None:
        """1. The trial of ada makes its first lookup, which does not return.
        2. Its time is over after 1 s. Nothing comes from it, so the run gives it up: it stays open,
        and
           can be resumed.
        3. The trial of grace is played, and solved.
        """
        result = run_in_process(*ADA_THEN_GRACE, cwd=tmp_path)

        assert stuck_lookups
        assert result.code == Unreachable.exit_code
        trials = {trial["task_id"]: trial for trial in result.json["trials"]}
        assert trials["ada"]["state"] == "open"
        assert trials["grace"]["score"] == 1.0
        assert "did not come back" in journal_of(tmp_path).read_text()

    def test_an_interrupted_run_ends_although_a_trial_does_not_come_back(
        self,
        stuck_lookups: list[Mapping[str, Plain]],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """1. The model replies in the trial of ada. At this moment, the run is interrupted, as by
        Ctrl-C.
        2. The script of the reply makes a lookup, which does not return.
        3. The run gives the trial up, and ends. The trial of grace does not begin."""
        emit = Run.emit

        def emit_and_interrupt(run: Run, event: JournalEvent) -> None:
            emit(run, event)
            if event.type == "model_replied":
                run.interrupt()

        monkeypatch.setattr(Run, "emit", emit_and_interrupt)
        result = run_in_process(*ADA_THEN_GRACE, cwd=tmp_path)

        assert stuck_lookups
        assert result.code == Interrupted.exit_code
        trials = {trial["task_id"]: trial for trial in result.json["trials"]}
        assert trials["ada"]["state"] == "open"
        assert trials["grace"]["score"] is None
        assert "did not come back" in journal_of(tmp_path).read_text()
