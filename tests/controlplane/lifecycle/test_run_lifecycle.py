"""A run from its start to its end: its trials and scores, its journal, and the commands that it prints.

`controlplane run --benchmark phonebook --model m` starts the trials of a benchmark, lets a model
play each, submits the answers for scores, and writes every event to a journal, a file of JSON
lines.
"""

import sys
from pathlib import Path

import pytest

from controlplane.agent.events import StepDone
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.errors import UsageError
from controlplane.journal.run_events import (
    RunClosed,
    RunOpened,
    RunPrompts,
    RunSubmitted,
    Scored,
    TrialEnded,
)
from controlplane.program_invocation import invocation
from tests.support.command import check_error_line, run_in_process, run_program
from tests.support.journals.read_events import read_events
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER
from tests.support.recorded_run import RecordedRun


def journal_of(folder: Path) -> Path:
    """Return the journal of the only run in a folder."""
    (path,) = (folder / "runs").glob("*.jsonl")
    return path


class TestWholeRun:
    """A run plays the three tasks of a phone book: ada, grace and edsger.

    The model replies from a file. It solves ada after a rejected answer, and grace at once. It
    has no replies for edsger, for which the harness submits an answer of its own, a fallback.
    `PHONEBOOK_WITH_PLAYER` are the options of this benchmark and model.
    """

    def test_a_run_plays_every_trial_and_prints_the_scores(
        self, tmp_path: Path
    ) -> None:
        """A fallback is not a failure of the run."""
        result = run_in_process("run", *PHONEBOOK_WITH_PLAYER, "--json", cwd=tmp_path)

        assert result.code == 0, result.err
        trials = {trial["task_id"]: trial for trial in result.json["trials"]}
        scores = {task_id: trial["score"] for task_id, trial in trials.items()}
        assert scores == {"ada": 1.0, "grace": 1.0, "edsger": 0.0}
        assert trials["ada"]["rejections"] == {"6/wording": 1}  # a check of answers
        assert trials["edsger"]["state"] == "fallback"
        assert trials["edsger"]["outcome"] == "OUTCOME_ERR_INTERNAL"
        assert result.json["score"] == pytest.approx(2 / 3)

    def test_the_journal_of_a_run_has_its_events_in_order(self, tmp_path: Path) -> None:
        """The reader of a journal relies on its first two events and on its last one."""
        run_in_process("run", *PHONEBOOK_WITH_PLAYER, "--json", cwd=tmp_path)

        event_types = [type(event) for event in read_events(journal_of(tmp_path))]

        assert event_types[:2] == [RunOpened, RunPrompts]
        assert event_types[-1] == RunClosed
        assert {StepDone, TrialEnded, Scored, RunSubmitted} <= set(event_types)


class TestPrintedCommands:
    """A run prints commands to type next: `next  controlplane show 2026...  # why`.

    They name the program as the user's shell finds it: by its name, or by its path. `recorded`
    is a finished run of 25 trials, with what it has printed.
    """

    def test_the_printed_next_commands_run_in_a_shell(
        self, recorded: RecordedRun
    ) -> None:
        """Under "next", a run prints commands, each with a comment: `next  show ...  # why`. Both
        of this run are about its first failed task, seat-005."""
        report = recorded.printed.out
        next_section = report[report.index("\nnext") + 1 :]
        commands: list[str] = []
        for line in next_section.splitlines():
            command_text, _, _ = line.removeprefix("next").partition("  #")
            commands.append(command_text.strip())

        assert len(commands) == 2
        for command in commands:
            result = run_program(["sh", "-c", command], recorded.folder)
            assert result.code == 0
            assert result.err == ""
            assert "seat-005" in result.out

    @pytest.mark.parametrize(
        ("is_installed", "folder_is_on_path", "expected"),
        [
            pytest.param(True, True, "controlplane", id="installed, on the path"),
            pytest.param(
                True, False, "bin/controlplane", id="installed, not on the path"
            ),
            pytest.param(
                False, True, "python3 -P -m controlplane", id="importable, on the path"
            ),
            pytest.param(
                False,
                False,
                "bin/python3 -P -m controlplane",
                id="importable, not on the path",
            ),
        ],
    )
    def test_printed_commands_name_the_program_as_briefly_as_a_shell_finds_it(
        self,
        is_installed: bool,
        folder_is_on_path: bool,
        expected: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """`controlplane` is installed beside its interpreter, or only importable from it."""
        bin_folder = tmp_path / "bin"
        bin_folder.mkdir()
        programs = ["python3"]
        if is_installed:
            programs.append("controlplane")
        for program in programs:
            (bin_folder / program).write_text("#!/bin/sh\n")
            (bin_folder / program).chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(bin_folder / "python3"))
        shell_path = str(bin_folder) if folder_is_on_path else "/nonexistent"
        monkeypatch.setenv("PATH", shell_path)
        monkeypatch.chdir(tmp_path)

        assert invocation() == expected


def journal_cut_after_start(folder: Path) -> Path:
    """Play a run, and return its journal without all that follows the run's start."""
    run_in_process("run", "--limit", "1", "--quiet", cwd=folder)
    path = journal_of(folder)
    kept_lines: list[bytes] = []
    for line in path.read_bytes().splitlines(keepends=True):
        kept_lines.append(line)
        if b'"type":"run_started"' in line:
            break
    path.write_bytes(b"".join(kept_lines))
    return path


class TestOlderVersions:
    """A run was recorded with another version of its benchmark, and is resumed with this one.

    A world is the data in which a trial plays. In a new version, it may have other contents, so
    that recorded steps do not fit.
    """

    @pytest.mark.parametrize(
        ("recorded_version", "reason"),
        [
            pytest.param("older", "in version 'older'", id="another version"),
            pytest.param("", "does not name", id="no version"),
        ],
    )
    def test_a_run_of_another_world_version_is_not_resumed_but_submitted(
        self,
        recorded_version: str,
        reason: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """1. A run is recorded while the benchmark claims to be of another version, or of none.
        2. `resume` is refused, and the journal stays as it is.
        3. `submit --force` ends the run all the same: trials without an answer score 0.
        """
        with monkeypatch.context() as while_recording:
            while_recording.setattr(ecom_benchmark, "WORLD_VERSION", recorded_version)
            journal = journal_cut_after_start(tmp_path)
        recorded_bytes = journal.read_bytes()

        resumed = run_in_process("resume", "last", cwd=tmp_path)

        present_version = f"this is version {ecom_benchmark.WORLD_VERSION!r}"
        check_error_line(
            resumed, UsageError.exit_code, "cannot be resumed", reason, present_version
        )
        assert journal.read_bytes() == recorded_bytes
        assert run_in_process("submit", "last", "--force", cwd=tmp_path).code == 0
