"""Loops of `improve` that are interrupted or killed, and resumed.

A loop pays for each trial and for each proposal. Resuming it must pay only for what was under way when
it was stopped, and lead to the same result.
"""

import re
import signal
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Interrupted
from controlplane.improving.candidates import candidate_runs
from controlplane.improving.loop_record import LoopRecord
from controlplane.view.progress.run_display import SILENT
from tests.controlplane.improving.improve_command import (
    PLAYER,
    PROPOSER,
    improve_command,
)
from tests.controlplane.improving.riddle_loop import OK, RiddleLoop
from tests.support.command import CommandResult, wait_for_exit, wait_until

CONCURRENT_TRIALS = 8
"""How many trials a loop plays at the same time, each with one request. A kill may cut off all."""


def stop_during_proposals(
    loop: RiddleLoop, stop_signal: signal.Signals
) -> CommandResult:
    """Start a loop, send it a signal after its second proposal, and return how it ended."""
    process = loop.start_command(*improve_command())
    wait_until(lambda: len(loop.requests_to(PROPOSER)) > 1)
    process.send_signal(stop_signal)
    return wait_for_exit(process)


def count_ended_trials(record: LoopRecord) -> int:
    """Return how many trials ended in all runs of a loop."""
    count = 0
    for journal in (record.folder / "runs").glob("*.jsonl"):
        count += journal.read_bytes().count(b'"type":"trial_ended"')
    return count


def check_resumed_loop(loop: RiddleLoop) -> None:
    """Resume a stopped loop, and assert that it ends well and has paid nothing twice.

    A trial and a proposal each take one request. Only what was under way when the loop was stopped
    is asked again: some trials at most, and one proposal.
    """
    resumed = wait_for_exit(loop.start_command("resume", "last", "--json"))

    assert resumed.code == OK, resumed.err
    assert resumed.json["is_better"] is True
    most_trials = count_ended_trials(loop.record) + CONCURRENT_TRIALS
    assert len(loop.requests_to(PLAYER)) <= most_trials
    most_proposals = len(loop.record.proposals) + 1
    assert len(loop.requests_to(PROPOSER)) <= most_proposals


class TestStoppedLoops:
    """A loop gets a signal after its second proposal, and is resumed.

    `check_resumed_loop` resumes it, and asserts that it ends well, and that no trial and no
    proposal was asked for twice, except for what was under way.
    """

    @pytest.mark.second_tier
    def test_a_killed_loop_is_resumed_and_pays_nothing_twice(
        self, loop: RiddleLoop
    ) -> None:
        """A kill may leave the journal of the latest run empty. That run is played again."""
        stop_during_proposals(loop, signal.SIGKILL)
        journals = (loop.record.folder / "runs").glob("*.jsonl")
        latest_journal = max(journals, key=lambda path: path.stat().st_mtime)
        latest_journal.write_bytes(b"")

        check_resumed_loop(loop)

    @pytest.mark.second_tier
    def test_an_interrupted_loop_names_its_best_candidate_and_is_resumed(
        self, loop: RiddleLoop
    ) -> None:
        """Ctrl-C prints the command to continue with, and resuming pays nothing twice."""
        interrupted = stop_during_proposals(loop, signal.SIGINT)

        assert interrupted.code == Interrupted.exit_code
        # Such as "best so far: 3fa9, on the check worlds; continue with: controlplane resume
        # improve-1".
        message = re.search(
            r"best so far: (?P<candidate>\w+), on the check worlds; "
            r"continue with: .* resume (?P<loop>\S+)",
            interrupted.err,
        )
        assert message, interrupted.err
        assert message["loop"] == loop.record.folder.name
        candidate_folder = loop.record.folder / "candidates" / message["candidate"]
        assert (candidate_folder / "hints.txt").is_file()
        check_resumed_loop(loop)


class TestLateInterrupts:
    """An interrupt comes when a run of the loop has just ended.

    A loop plays a run for each candidate. The next one must not start.
    """

    def test_an_interrupt_stops_the_loop_even_if_its_run_has_just_ended(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The user presses Ctrl-C while the last trials of a run end. The run is complete and
        reports no error; the loop must stop all the same instead of starting the next run.

        `CandidateRuns` lets one candidate play: it makes a run by `continued_run`, and plays it by
        `conduct`. Both are replaced here, as a real run cannot be interrupted in just that moment.
        """
        user_has_interrupted = Event()
        user_has_interrupted.set()
        complete_run = SimpleNamespace(
            controls=SimpleNamespace(interrupted=user_has_interrupted),
            summary=SimpleNamespace(submitted=True, process=SimpleNamespace(error="")),
        )
        monkeypatch.setattr(
            candidate_runs, "continued_run", lambda plan: nullcontext(complete_run)
        )
        monkeypatch.setattr(candidate_runs, "conduct", lambda run, screen: OK)

        play_run = candidate_runs.CandidateRuns(sources={}, screen=SILENT)
        with pytest.raises(Interrupted):
            play_run(RunSettings(), tries=(), journal=Path("run.jsonl"))
