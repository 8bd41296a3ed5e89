"""Fixtures for tests of commands: a recorded run that many tests read, and a quick way to run one.

def test_show(recorded: RecordedRun, run_command_here: CommandRunner) -> None:
    shown = run_command_here("show", str(recorded.journal))
"""

import sys
from pathlib import Path

import pytest

from controlplane.__main__ import main
from tests.support.command import CommandResult, CommandRunner
from tests.support.product_files import ROOT
from tests.support.recorded_run import RecordedRun, record_run

# The replies of a scripted model to any trial of the benchmark `tests.support.many_trials`.
#
# A trial has three turns. The first script counts. The second answers with nothing but an outcome, which
# the checks of answers ("gates") send back. The third answers with the number, which they accept.

SCRIPT = """
[[reply]]
state = "count"
plan = ["count", "answer"]
code = '''
scratchpad["n"] = harness.count().number
console.log("counted", scratchpad["n"])
'''
[[reply]]
state = "answer without words"
code = '''
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "OUTCOME_OK")
'''
[[reply]]
state = "answer"
done = true
code = '''
harness.count()
scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["n"])
'''
"""


@pytest.fixture(scope="session", autouse=True)
def quick_runs(shared_fork_servers: None, quick_server_ends: None) -> None:
    """Save time in all tests: runs share the processes from which the sandbox is forked, and
    servers of benchmarks end at once."""


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The replies of a model for `tests.support.many_trials`: three turns that fit every trial.

    A run uses them with `--model scripted:PATH`.
    """
    path = tmp_path_factory.mktemp("script") / "crowd.toml"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def recorded(script: Path, tmp_path_factory: pytest.TempPathFactory) -> RecordedRun:
    """The run "first" of 25 trials, `seat-001` to `seat-025`; every fifth is wrong."""
    return record_run(tmp_path_factory.mktemp("recorded"), script)


@pytest.fixture
def run_command_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandRunner:
    """A function that runs a command in this process, which is faster than starting one.

    `run_command_here("show", "last", "--json", HOME="/x")` runs `controlplane show last --json`.
    The working folder is the test's empty folder. Variables stay set until the test ends.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])

    def run_command(*arguments: str, **variables: str) -> CommandResult:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["controlplane", *arguments])
        capsys.readouterr()  # Forget what was printed before.
        with pytest.raises(SystemExit) as program_exit:
            main()
        out, err = capsys.readouterr()
        assert isinstance(program_exit.value.code, int)
        return CommandResult(program_exit.value.code, out, err)

    return run_command
