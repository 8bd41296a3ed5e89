import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.events import StepDone
from benchmarks.ecom import ecom_benchmark
from controlplane.errors import invocation
from controlplane.journal.run_events import (
    JournalEvent,
    RunClosed,
    RunOpened,
    RunPrompts,
    RunSubmitted,
    Scored,
    TrialEnded,
)
from controlplane.lifecycle import run_lifecycle
from controlplane.lifecycle.run_lifecycle import Run
from sandbox.interface import Plain
from tests.support import phonebook
from tests.support.command import ROOT, Result, check_line, inside, ran
from tests.support.scored_journal import read_events

SCRIPT = ROOT / "tests/support/phonebook.toml"
PHONEBOOK = ("--benchmark", "tests.support.phonebook", "--model", f"scripted:{SCRIPT}")


def journal_of(folder: Path) -> Path:
    (path,) = (folder / "runs").glob("*.jsonl")
    return path


def test_a_run_solves_grades_journals_and_sums_up(tmp_path: Path) -> None:
    result = inside("run", *PHONEBOOK, "--json", cwd=tmp_path)
    assert result.code == 0, result.err  # that a trial ended by its fallback is no failure
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert {name: each["score"] for name, each in trials.items()} == {"ada": 1.0, "grace": 1.0, "edsger": 0.0}
    assert trials["ada"]["rejections"] == {"6/wording": 1}
    assert trials["edsger"]["state"] == "fallback"
    assert trials["edsger"]["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert result.json["score"] == pytest.approx(2 / 3)
    events = list(read_events(journal_of(tmp_path)))
    assert [type(event) for event in events[:2]] == [RunOpened, RunPrompts]
    assert isinstance(events[-1], RunClosed)
    assert {type(event) for event in events} >= {StepDone, TrialEnded, Scored, RunSubmitted}


@pytest.mark.parametrize("stops", [False, True])
def test_a_trial_that_does_not_come_back_holds_neither_the_run_nor_the_process(
    stops: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = phonebook.Desk.call
    stuck_at: list[phonebook.Desk] = []

    def stuck(desk: phonebook.Desk, operation: str, arguments: dict[str, Plain]) -> dict[str, Plain]:
        if not stuck_at:
            stuck_at.append(desk)
            time.sleep(3600)
        return looked_up(desk, operation, arguments)

    monkeypatch.setattr(phonebook.Desk, "call", stuck)
    monkeypatch.setattr(run_lifecycle, "LATE_S", 0.5)
    words = ("run", *PHONEBOOK, "--concurrency", "1", "--trial-time", "1", "--step-time", "1", "--json", "ada", "grace")
    if stops:
        monkeypatch.setattr(run_lifecycle.Run, "emit", stopping(run_lifecycle.Run.emit))
    began = time.monotonic()
    result = inside(*words, cwd=tmp_path)
    assert time.monotonic() - began < 60
    trials = {trial["task_id"]: trial for trial in result.json["trials"]}
    assert stuck_at
    assert (result.code, trials["ada"]["state"]) == (130 if stops else 3, "open")
    assert trials["grace"]["score"] == (None if stops else 1.0)
    assert "did not come back" in journal_of(tmp_path).read_text()


def stopping(emit: Callable[[Run, JournalEvent], None]) -> Callable[[Run, JournalEvent], None]:
    """Stop the run when its first trial has asked its model."""

    def emitted(run: Run, event: JournalEvent) -> None:
        emit(run, event)
        if event.type == "model_replied":
            run.interrupt()

    return emitted


def interrupted(folder: Path) -> Path:
    """Leave the journal of a run that was cut off right after its start."""
    inside("run", "--limit", "1", "--quiet", cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    path.write_bytes(b"".join(lines[: began + 1]))
    return path


@pytest.mark.parametrize(("began_in", "says"), [("older", "in version 'older'"), ("", "does not name")])
def test_a_run_in_other_worlds_is_not_resumed_and_can_be_submitted(
    began_in: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(ecom_benchmark, "WORLD_VERSION", began_in)
        path = interrupted(tmp_path)
    recorded = path.read_bytes()
    result = inside("resume", "last", cwd=tmp_path)
    check_line(result, 2, "cannot be resumed", says, f"this is version {ecom_benchmark.WORLD_VERSION!r}")
    assert path.read_bytes() == recorded
    assert inside("submit", "last", "--force", cwd=tmp_path).code == 0


def test_the_printed_next_commands_run_in_a_shell(recorded: tuple[Path, Result]) -> None:
    folder, done = recorded
    commands = [line.removeprefix("next").split("  #")[0].strip() for line in _after(done.out, "next")]
    assert len(commands) == 2
    for command in commands:
        done = ran(["sh", "-c", command], folder)
        assert (done.code, done.err) == (0, "")
        assert "seat-005" in done.out


def _after(text: str, start: str) -> list[str]:
    lines = text.splitlines()
    return lines[next(at for at, each in enumerate(lines) if each.startswith(start)) :]


@pytest.mark.parametrize("is_on_path", [True, False])
@pytest.mark.parametrize("has_script", [True, False])
def test_the_program_is_named_as_briefly_as_a_shell_finds_it(
    is_on_path: bool, has_script: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("python3", *(["controlplane"] if has_script else [])):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python3"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin") if is_on_path else "/nonexistent")
    monkeypatch.chdir(tmp_path)
    named = "controlplane" if has_script else "python3"
    assert invocation() == (named if is_on_path else f"bin/{named}") + ("" if has_script else " -P -m controlplane")
