"""Scripts of a model, and of a journal, do not run where the kernel wall is missing, unless that is accepted."""

from pathlib import Path

import pytest

from agent.submission import GateSettings
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.journal.journal_content import open_journal
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.replay.judged_submissions import submissions_in
from controlplane.solver import SOLVERS, SolverSpec, SolverTools
from sandbox import ForkServer
from tests.support.command import check_line, write_config
from tests.support.direct_solver import DirectSolver
from tests.support.in_process_command import inside
from tests.support.phonebook import PLAYED as PHONEBOOK

SAYS = ("the kernel wall does not stand here (kernel: only Linux has it)", "sandbox doctor", "--walls language,process")
PLAYED = (*PHONEBOOK, "ada", "grace")
FEWER = ("--walls", "language,process")


@pytest.fixture
def unwalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes this a machine without the kernel wall."""
    monkeypatch.setattr(ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"})


def recorded_in(folder: Path) -> Path:
    inside("run", *PLAYED, "--quiet", *FEWER, cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    return path


@pytest.mark.usefixtures("unwalled")
def test_a_models_scripts_do_not_run_with_fewer_walls_than_wanted(tmp_path: Path) -> None:
    result = inside("run", *PLAYED, cwd=tmp_path)
    check_line(result, 2, *SAYS)
    assert not list(tmp_path.glob("runs/*"))


@pytest.mark.usefixtures("unwalled")
def test_fewer_walls_are_accepted_by_flag_environment_and_file(tmp_path: Path) -> None:
    assert inside("run", *PLAYED, "--quiet", *FEWER, cwd=tmp_path).code == 0
    assert inside("run", *PLAYED, "--quiet", cwd=tmp_path, CONTROLPLANE_WALLS="language,process").code == 0
    write_config(tmp_path / "controlplane.toml", '[run]\nwalls = "language,process"\n')
    assert inside("run", *PLAYED, "--quiet", cwd=tmp_path).code == 0
    check_line(inside("run", *PLAYED, "--walls", "all", cwd=tmp_path), 2, *SAYS)


def test_a_resumed_run_needs_the_walls_that_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unwalled: None
) -> None:
    path = recorded_in(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    path.write_bytes(b"".join(lines[: began + 1]))
    cut = path.read_bytes()
    check_line(inside("resume", "last", "--walls", "all", cwd=tmp_path), 2, *SAYS)
    assert path.read_bytes() == cut
    resumed = inside("resume", "last", "--walls", "process", "--quiet", cwd=tmp_path)
    assert resumed.code == 0, resumed.err
    assert "the walls around scripts are process until the run is resumed again" in path.read_text()
    path.write_bytes(cut)
    assert inside("resume", "last", "--quiet", cwd=tmp_path).code == 0


def test_a_replay_needs_the_walls_of_todays_settings_whatever_the_journal_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unwalled: None
) -> None:
    path = recorded_in(tmp_path)
    check_line(inside("replay", "last", "--verify", cwd=tmp_path), 2, *SAYS)
    monkeypatch.chdir(tmp_path)
    with open_journal(path) as journal, pytest.raises(UsageError, match="kernel wall"):
        next(submissions_in(journal, GateSettings()))
    assert inside("replay", "last", "--verify", *FEWER, cwd=tmp_path).code == 0
    assert inside("replay", "last", "--verify", cwd=tmp_path, CONTROLPLANE_WALLS="language,process").code == 0
    check_line(inside("replay", "last", "--verify", "--walls", "glass", cwd=tmp_path), 2, "names no walls")
    assert inside("replay", "last", cwd=tmp_path).code == 0


@pytest.mark.usefixtures("unwalled")
def test_a_solver_that_asks_for_the_sandbox_late_is_refused_then(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[SolverTools] = []

    def open_late(tools: SolverTools) -> DirectSolver:
        given.append(tools)
        return DirectSolver()

    monkeypatch.setitem(SOLVERS, "cited", SolverSpec(open_late))
    benchmark, model = PHONEBOOK[1], PHONEBOOK[3]
    with RunResources(RunSpec(RunSettings(benchmark=benchmark, model=model))) as resources:
        resources.check_walls()
        with pytest.raises(UsageError, match="kernel wall"):
            given[0].sandbox_server()
