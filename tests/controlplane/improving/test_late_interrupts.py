"""An interrupt of a loop of `improve` comes when one of its runs has just ended.

A loop plays a run for each candidate. The next one must not start.
"""

from pathlib import Path

import pytest

from controlplane import TaskTry
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Interrupted
from controlplane.improving import loop as candidate_runs
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.conducting import RunScreen, conduct
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.view.progress.run_display import SILENT


def test_an_interrupt_stops_the_loop_even_if_its_run_has_just_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user presses Ctrl-C while the last trial of the run ends. The run is complete and reports
    no error; the loop must stop all the same."""

    def conduct_until_interrupt(run: Run, screen: RunScreen) -> int:
        code = conduct(run, screen)
        run.controls.interrupted.set()
        return code

    monkeypatch.setattr(candidate_runs, "conduct", conduct_until_interrupt)
    (tmp_path / "replies.toml").write_text(
        """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "17", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "17")
'''
"""
    )
    settings = RunSettings(
        benchmark="tests.support.phonebook",
        model=f"scripted:{tmp_path / 'replies.toml'}",
        runs_dir=str(tmp_path),
    )
    play_run = candidate_runs.CandidateRuns(sources={}, screen=SILENT)

    with pytest.raises(Interrupted):
        play_run(
            settings, tries=(TaskTry("ada", number=0),), journal=tmp_path / "r1.jsonl"
        )

    with open_journal(tmp_path / "r1.jsonl") as journal:
        assert journal.summary.submitted
        assert journal.summary.trials.mean_score == 1.0
