"""A program that runs an attack, and lets the commands that it starts be forks.

    python -m tests.hostile_inputs.attack_with_forks 7 /tmp/attacks/rx_long_word_ask.py

An attack starts `python -m controlplane ...` up to twenty times. The *server* of commands has
imported the product already, and forks a process for each of them. The process of a command is as
real as a new one: the attack may kill it, and measure its CPU and memory. 7 is the descriptor of
the server's control socket, by which it is asked for forks.
"""

import os
import runpy
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from tests.support.forks.fork_conditions import can_fork
from tests.support.forks.forked_command import ForkedCommand
from tests.support.forks.server_lines import use_server

START_OF_COMMAND = [sys.executable, "-m", "controlplane"]

_start_program = subprocess.Popen


def _start(words: Sequence[Any], **options: Any) -> "subprocess.Popen[Any]":
    """Start a program as `Popen` does, and a command of the product by a fork where it can be one."""
    is_command = list(words[:3]) == START_OF_COMMAND
    # The server has the environment of this process.
    if is_command and can_fork(options.get("env") or os.environ, usual=os.environ):
        return ForkedCommand(words[3:], **options)
    return _start_program(words, **options)


if __name__ == "__main__":
    use_server(socket.socket(fileno=int(sys.argv[1])))
    subprocess.Popen = _start  # type: ignore[assignment, misc]
    program = sys.argv[2]
    sys.argv[:] = [program]
    runpy.run_path(program, run_name="__main__")
