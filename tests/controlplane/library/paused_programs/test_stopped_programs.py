"""A Python program that is interrupted or killed continues its run with every call made once.

`paying_program.py SIGINT` makes three payments, and sends itself this signal within the second one. The
test continues the run. Its score is 1.0 if each payment was made once, in order.
"""

import contextlib
import shutil
import signal
from pathlib import Path

import pytest

import controlplane
from tests.controlplane.library.paused_programs import paying_program
from tests.support.command import run_controlplane, run_python

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


def continue_run(folder: Path) -> controlplane.RunReport:
    """Continue the only run in the folder."""
    (journal,) = (folder / "runs").glob("*.jsonl")
    with contextlib.chdir(folder):
        return controlplane.run(paying_program.TASKS, resume=str(journal))


def test_an_interrupted_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    interrupted = run_python("paying_program.py", "SIGINT", cwd=program_folder)
    run = continue_run(program_folder)

    assert interrupted.code == 0, interrupted.err
    assert "nothing that was recorded is lost" in interrupted.out
    assert run.exit_code == 0, run.error
    assert run.mean == 1.0, run.trials[0].why


def test_a_killed_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    """The environment was in the memory of the killed process. A new one is made, and the
    recorded calls are made in it again; the one that was cut off follows."""
    killed = run_python("paying_program.py", "SIGKILL", cwd=program_folder)
    run = continue_run(program_folder)

    assert killed.code == -signal.SIGKILL
    assert run.mean == 1.0, run.trials[0].why
    replay = run_controlplane("replay", "last", "--verify", cwd=program_folder)
    assert replay.code == 0
