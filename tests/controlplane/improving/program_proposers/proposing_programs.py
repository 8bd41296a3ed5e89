"""A program of the user that proposes changes, and hints with which all riddles are solved.

For example:

    write_proposer(loop, "print('hello')")    ->    "command:/usr/bin/python3 /tmp/.../agent.py"
"""

import sys

from tests.controlplane.improving.riddle_loop import RiddleLoop


def write_proposer(loop: RiddleLoop, program: str) -> str:
    """Write the program of a proposer, and return the value of `--with` for it."""
    path = loop.folder / "agent.py"
    path.write_text(program, encoding="utf-8")
    return f"command:{sys.executable} {path}"


BETTER_HINTS = "Read the record twice.\nName the code alone.\nKeep the letter case.\n"
"""Hints with which the player solves all riddles."""
