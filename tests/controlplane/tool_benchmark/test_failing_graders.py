"""An error of a user's grader costs the score of its own trial, and no other one.

def fail(end: TaskEnvironment) -> float:
    raise ValueError("no")

Task("broken", "Say done.", grade=fail)      # has no score; its reason names the ValueError
"""

from pathlib import Path

import pytest

from controlplane import Task, TaskEnvironment
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)
from tests.support.command import run_controlplane


class Unprintable(Exception):
    """An error that raises another one when it is converted to text."""

    def __str__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)


class UnprintableText(str):
    """A text that raises an error when it is converted to text or formatted."""

    def __str__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)

    def __format__(self, form: str) -> str:
        msg = "no text"
        raise RuntimeError(msg)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(Unprintable(), id="an error that cannot be shown"),
        pytest.param(ValueError(UnprintableText("x")), id="its text cannot be shown"),
        pytest.param(ValueError("half a pair \ud800"), id="its text has no UTF-8"),
        # Python raises these to end a program, a generator, and calls that are too deep.
        pytest.param(SystemExit(3), id="SystemExit"),
        pytest.param(GeneratorExit(), id="GeneratorExit"),
        pytest.param(RecursionError(), id="RecursionError"),
    ],
)
def test_an_error_of_a_grader_ends_only_its_own_trial(
    error: BaseException, tmp_path: Path
) -> None:
    def fail(end: TaskEnvironment) -> float:
        raise error

    broken = Task("broken", "Say done.", files={"/a": "x"}, grade=fail)
    fine = Task("fine", "Say done.", files={"/a": "x"}, grade=lambda end: 1.0)
    model = ModelWithScripts(script_with_answer())

    run = run_without_gates([broken, fine], model, tmp_path)

    assert run["fine"].score == 1.0
    assert run["broken"].score is None
    # `ascii`, because a failing test could not print half of a surrogate pair.
    assert type(error).__name__ in ascii(run["broken"].why)
    shown = run_controlplane("show", run.journal, "--json", cwd=tmp_path)
    assert shown.code == 0
