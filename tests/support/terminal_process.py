"""Starts a program on a pseudo-terminal, and tells what the kernel says of it.

    process = start_on_terminal(program_end, ["show"], argv=(), cwd=folder, variables={})

`program_end` is the program's end of the pseudo-terminal: its three standard streams.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from tests.support.command import clean_environment, start_in_environment

LAUNCHER = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""A script that turns into the program whose words follow it, such as `less notes.txt`. Before, it
makes the terminal the program's own, so that Ctrl-C reaches the program as a signal."""


def start_on_terminal(
    program_end: int,
    arguments: Sequence[str | Path],
    *,
    argv: Sequence[str],
    cwd: Path,
    output: BinaryIO | None = None,
    variables: Mapping[str, str],
) -> "subprocess.Popen[Any]":
    """Start `controlplane` with these arguments, or instead the program and words in `argv`.

    Standard output goes to the file `output`, if there is one, instead of the terminal.
    """
    assert not (arguments and argv), "the arguments of a program belong into `argv`"
    environment = clean_environment(**{"TERM": "xterm-256color", **variables})
    environment.pop("COLUMNS", None)  # The program has to ask the terminal.
    streams: dict[str, Any] = {
        "stdin": program_end,
        "stdout": output or program_end,
        "stderr": program_end,
        "start_new_session": True,
        "text": False,
    }
    if argv:
        words = [sys.executable, "-IS", "-c", LAUNCHER, *argv]
        return subprocess.Popen(words, cwd=cwd, env=environment, **streams)
    # The process of a command makes the terminal its own without the launcher.
    return start_in_environment(arguments, cwd=cwd, env=environment, **streams)


def state_of_process(pid: int) -> str:
    """Return what the kernel says of a process: `State: S (sleeping)`, `Threads: 1` and so on."""
    status_file = Path(f"/proc/{pid}/status")
    state_lines: list[str] = []
    if status_file.exists():
        for line in status_file.read_text().splitlines():
            if line.startswith(("State", "Threads", "Sig", "Shd")):
                state_lines.append(line)
    return "\n".join(state_lines)
