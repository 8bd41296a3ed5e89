"""A run of a Python program pauses if its model cannot be reached, and continues by a call.

    controlplane.run(TASKS, resume='runs/20260422-0930.jsonl')

The error of the run ends with this call. The command `controlplane resume` would not help: the
tasks are objects of the program.
"""

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import controlplane
from controlplane.errors import Unreachable
from tests.controlplane.library.program_tasks import STOCK_TASK, run_command


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
