"""Recorded runs that many tests share, and a quick way to run a command."""

import sys
from pathlib import Path

import pytest

from controlplane.__main__ import main
from tests.support.command import ROOT, CommandResult, CommandRunner, run_controlplane
from tests.support.many_trials import SCRIPT


@pytest.fixture(scope="session", autouse=True)
def quick_runs(shared_fork_servers: None, quick_server_ends: None) -> None:
    """Runs and replays in this process do not wait for what is of no interest here."""


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script of three turns for every trial of the benchmark."""
    path = tmp_path_factory.mktemp("script") / "crowd.toml"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def recorded(
    script: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, CommandResult]:
    """A folder with one finished run of 25 trials,
    every fifth of them wrong, and the run's output."""
    folder = tmp_path_factory.mktemp("recorded")
    done = run_controlplane(
        *(
            "run",
            "--benchmark",
            "tests.support.many_trials:25",
            "--model",
            f"scripted:{script}",
            "--name",
            "first",
        ),
        cwd=folder,
    )
    return folder, done


@pytest.fixture
def run_command_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandRunner:
    """Runs commands in this process, which is faster than starting one, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])

    def run_command_here(*arguments: str, **variables: str) -> CommandResult:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["controlplane", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return CommandResult(ended.value.code, out, err)

    return run_command_here
