"""Runs of a Python program that pause, are interrupted or killed, and continue by a call.

    controlplane.run(TASKS, resume="runs/20260422-0930.jsonl")

`controlplane resume` would not help: the tasks are objects of the program. Every call of an environment
is made exactly once, whenever the program was stopped.
"""

import signal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import controlplane
from controlplane.errors import Unreachable
from tests.controlplane.library.program_tasks import STOCK_TASK, run_command
from tests.support.command import CommandResult, run_controlplane, run_python

# --- Runs that pause ---


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
    """The named call is a text, which the test evaluates as Python. In it, `controlplane.run` is a
    function that adds a model which works."""
    assert paused_run.exit_code == Unreachable.exit_code
    call = call_that_continues(paused_run.error)

    run_with_model = partial(controlplane.run, model=settings["model"])
    names_in_call = {
        "controlplane": SimpleNamespace(run=run_with_model),
        "TASKS": [STOCK_TASK],
    }
    resumed_run = eval(call, names_in_call)

    assert resumed_run.mean == 1.0


# `show` prints results, `poll` asks whether a run is over, `submit` sends off an unfinished run.
@pytest.mark.parametrize("command", ["show", "poll", "submit"])
def test_commands_about_a_paused_run_of_a_program_name_the_same_call(
    command: str, paused_run: controlplane.RunReport
) -> None:
    """`controlplane resume` would not help: the tasks are objects of the program."""
    result = run_command(command, paused_run.journal)

    output = result.out + result.err
    assert call_that_continues(paused_run.error) in output
    assert "controlplane resume" not in output


# --- Programs that are stopped in the middle of a call ---

PAYING_PROGRAM = """
import os, signal, sys, time, controlplane
from controlplane import Task, TaskEnvironment, Tool

command, argument = sys.argv[1:]  # "start SIGINT", "start SIGKILL" or "resume JOURNAL"

# The environment of the task: a function that pays, and what it has paid.
paid = []

def pay(n: int) -> list:
    "Make the payment with this number."
    paid.append(n)
    if command == "start" and n == 2:
        os.kill(os.getpid(), signal.Signals[argument])
        time.sleep(1)  # An interrupt comes while the payment goes on.
    return paid

def open_environment():
    paid.clear()
    return TaskEnvironment([Tool(pay, "acts")])

def grade(end):
    "Return whether the calls were right, and for a wrong score the calls as its reason."
    is_right = [call.arguments["n"] for call in end.calls] == [1, 2, 3]
    return is_right, [str(end.calls)]

tasks = [Task("task.1", "Pay thrice.", environment=open_environment, grade=grade)]
if command == "resume":
    run = controlplane.run(tasks, resume=argument)
    print(run.mean, run.trials[0].why)
else:
    try:
        controlplane.run(tasks, model="scripted:three.toml", runs_dir="runs")
    except KeyboardInterrupt as error:
        print(error)
"""
"""A program with one task: to make the payments 1, 2 and 3, each once and in this order.

`program.py start SIGINT` sends itself this signal while it makes the second payment.
`program.py resume JOURNAL` continues that run, and prints its score (`1.0` for right calls) and the
reason of a wrong one.
"""

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
    """A folder with the paying program, and the replies of its model."""
    (tmp_path / "three.toml").write_text(PAYING_REPLIES)
    (tmp_path / "program.py").write_text(PAYING_PROGRAM)
    return tmp_path


def resume_program(folder: Path) -> CommandResult:
    """Call the program a second time, to continue its run, and return what it printed."""
    (journal,) = (folder / "runs").glob("*.jsonl")
    return run_python("program.py", "resume", journal, cwd=folder)


def test_an_interrupted_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    """Ctrl-C comes in the middle of the second payment."""
    interrupted = run_python("program.py", "start", "SIGINT", cwd=program_folder)
    resumed = resume_program(program_folder)

    assert interrupted.code == 0, interrupted.err
    assert "nothing that was recorded is lost" in interrupted.out
    assert resumed.code == 0, resumed.err
    assert resumed.out.startswith("1.0")


def test_a_killed_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    """The environment was in the memory of the killed process. A new one is made, and the recorded
    calls are made in it again; the one that was cut off follows."""
    killed = run_python("program.py", "start", "SIGKILL", cwd=program_folder)
    resumed = resume_program(program_folder)

    assert killed.code == -signal.SIGKILL
    assert resumed.out.startswith("1.0"), resumed.out + resumed.err
    replay = run_controlplane("replay", "last", "--verify", cwd=program_folder)
    assert replay.code == 0
