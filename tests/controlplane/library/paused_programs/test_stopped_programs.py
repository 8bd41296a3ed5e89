"""A Python program that is interrupted or killed continues its run with every call made once.

`paying_program.py start SIGINT` has a task that makes three payments, and sends itself this signal
within the second one. `paying_program.py resume JOURNAL` continues the run, and prints 1.0 if each
payment was made once, in order.
"""

import shutil
import signal
from pathlib import Path

import pytest

from tests.support.command import CommandResult, run_controlplane, run_python

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
    recorded calls are made in it again; the one that was cut off follows."""
    killed = run_python("paying_program.py", "start", "SIGKILL", cwd=program_folder)
    resumed = resume_program(program_folder)

    assert killed.code == -signal.SIGKILL
    assert resumed.out.startswith("1.0"), resumed.out + resumed.err
    replay = run_controlplane("replay", "last", "--verify", cwd=program_folder)
    assert replay.code == 0
