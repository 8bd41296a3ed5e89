"""A run of a Python program pauses if its model cannot be reached, and continues by a call.

    controlplane.run(TASKS, resume='runs/20260422-0930.jsonl')

The error of the run ends with this call. The command `controlplane resume` would not help: the
tasks are objects of the program.
"""

import shutil
import signal
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import controlplane
from controlplane import open_journal
from controlplane.errors import Unreachable
from tests.controlplane.library.program_tasks import (
    STOCK_REPLY,
    STOCK_TASK,
    run_command,
)
from tests.support.command import CommandResult, run_controlplane, run_python
from tests.support.product_files import ROOT

# A Python program that is interrupted or killed continues its run with every call made once.
#
# `paying_program.py start SIGINT` has a task that makes three payments, and sends itself this signal
# within the second one. `paying_program.py resume JOURNAL` continues the run, and prints 1.0 if each
# payment was made once, in order.

PAYING_REPLIES = """
[[reply]]
code = 'print(harness.pay(n=1))'

[[reply]]
code = 'print(harness.pay(n=2))'

[[reply]]
code = 'print(harness.pay(n=3))'

[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "paid", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "paid")
'''
"""
"""The model of the program: three payments, one in each step, and the answer."""


@pytest.fixture
def program_folder(tmp_path: Path) -> Path:
    """A folder with the program `paying_program.py`, and the replies of its model."""
    (tmp_path / "three.toml").write_text(PAYING_REPLIES)
    shutil.copy(Path(__file__).with_name("paying_program.py"), tmp_path)
    return tmp_path


def resume_program(folder: Path) -> CommandResult:
    """Call the program a second time, to continue its run, and return what it printed."""
    (journal,) = (folder / "runs").glob("*.jsonl")
    return run_python("paying_program.py", "resume", journal, cwd=folder)


def test_an_interrupted_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    interrupted = run_python("paying_program.py", "start", "SIGINT", cwd=program_folder)
    resumed = resume_program(program_folder)

    assert interrupted.code == 0, interrupted.err
    assert "nothing that was recorded is lost" in interrupted.out
    assert resumed.code == 0, resumed.err
    assert resumed.out.startswith("1.0")


def test_a_killed_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    """The environment was in the memory of the killed process. A new one is made, and the
    recorded calls are made in it again; the one that was interrupted follows."""
    killed = run_python("paying_program.py", "start", "SIGKILL", cwd=program_folder)
    resumed = resume_program(program_folder)

    assert killed.code == -signal.SIGKILL
    assert resumed.out.startswith("1.0"), resumed.out + resumed.err
    replay = run_controlplane("replay", "last", "--verify", cwd=program_folder)
    assert replay.code == 0


@pytest.fixture
def paused_run(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> controlplane.RunReport:
    """A run that paused because nobody listens at the address of its model."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return controlplane.run(
        [STOCK_TASK],
        model="none",
        base_url="http://127.0.0.1:9/v1",
        model_patience=0,
        runs_dir=settings["runs_dir"],
    )


def call_that_continues(message: str) -> str:
    """Return the call at the end of a message: `controlplane.run(TASKS, resume='runs/...')`.

    The message is an error such as "...; continue with: controlplane.run(...)".
    """
    _, _, call = message.rpartition("continue with: ")
    return call


def test_a_paused_run_of_a_program_names_the_call_that_continues_it(
    paused_run: controlplane.RunReport, settings: dict[str, Any]
) -> None:
    """The call is evaluated as Python, with a function `controlplane.run` that adds a working model."""
    assert paused_run.exit_code == Unreachable.exit_code
    call = call_that_continues(paused_run.error)

    run_with_model = partial(controlplane.run, model=settings["model"])
    names_in_call = {
        "controlplane": SimpleNamespace(run=run_with_model),
        "TASKS": [STOCK_TASK],
    }
    resumed_run = eval(call, names_in_call)

    assert resumed_run.mean == 1.0


def test_a_paused_run_continues_with_the_servers_that_the_program_names(
    paused_run: controlplane.RunReport, tmp_path: Path
) -> None:
    """No server is started because a journal names it. A limit has its earlier name."""
    call = '[[reply]]\ntask = "stock.1"\ncode = "print(harness.loans.loan(number=2).text)"\n'
    (tmp_path / "with_server.toml").write_text(call + STOCK_REPLY)

    resumed = controlplane.run(
        [STOCK_TASK],
        resume=paused_run.journal,
        model="scripted:with_server.toml",
        mcp=[f"loans={sys.executable} {ROOT}/tests/support/plain_loans.py"],
        max_tokens_run=1_000_000,
    )

    assert resumed.mean == 1.0
    (trial,) = open_journal(paused_run.journal).trials.values()
    assert "kept until 2026-03-01" in trial.steps[0].output


# `show` prints results, `poll` asks whether a run is over, `submit` sends off an unfinished
# run.
@pytest.mark.parametrize("command", ["show", "poll", "submit"])
def test_commands_about_a_paused_run_of_a_program_name_the_same_call(
    command: str, paused_run: controlplane.RunReport
) -> None:
    result = run_command(command, paused_run.journal)

    output = result.out + result.err
    assert call_that_continues(paused_run.error) in output
    assert "controlplane resume" not in output
