"""Suggested commands work when copied into a shell."""

import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.lifecycle.next_commands import invocation, run_argument
from tests.support.command import ROOT, Result, environment
from tests.support.in_process_command import inside


def test_the_printed_next_commands_run_in_a_shell(recorded: tuple[Path, Result]) -> None:
    folder, done = recorded
    commands = [line.removeprefix("next").split("  #")[0].strip() for line in _after(done.out, "next")]
    assert len(commands) == 2
    for command in commands:
        ran = subprocess.run(
            command, shell=True, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "seat-005" in ran.stdout


def _after(text: str, start: str) -> list[str]:
    lines = text.splitlines()
    return lines[next(at for at, each in enumerate(lines) if each.startswith(start)) :]


@pytest.mark.parametrize(
    ("folder", "default", "word"),
    [("runs", None, "id"), ("elsewhere", None, "elsewhere/id.jsonl"), ("elsewhere", "elsewhere", "id")],
)
def test_a_journal_in_the_default_folder_is_named_by_its_id_any_other_by_its_path(
    folder: str, default: str | None, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if default:
        monkeypatch.setenv("CONTROLPLANE_RUNS_DIR", default)
    assert run_argument(Path(folder) / "id.jsonl") == word


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


def test_an_interrupted_run_of_another_folder_names_commands_that_find_it(tmp_path: Path) -> None:
    done = inside("runs", "--runs-dir", tmp_path / "none", cwd=tmp_path)
    assert f"no journals in {tmp_path / 'none'}" in done.out
    assert done.code == 0
    assert str(ROOT) not in done.err
