"""Runs an attack, whose commands and programs are forks of a process that has imported the product.

An attack is a program that starts `python -m controlplane ...`, or a program that imports the product,
up to twenty times. It calls `subprocess.Popen`, as always, and does not know that this module has
replaced it: the *server* of commands, which has imported the product already, forks a process each
time. The fork is a real process, which the attack may kill, and whose CPU and memory it may measure.

    python -m tests.hostile_inputs.attack_with_forks 7 /tmp/attacks/rx_long_word_ask.py

Here 7 is the descriptor of a socket, by which this module asks the server for forks.
"""

import os
import runpy
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from tests.support.forks.forked_process import (
    ForkedCommand,
    ForkedProgram,
    can_fork,
    use_server,
)

_start_process = subprocess.Popen

OPTIONS_OF_FORKS = {
    "cwd",
    "env",
    "start_new_session",
    "stdin",
    "stdout",
    "stderr",
    "text",
}
"""The options of `Popen` that a fork follows. It would ignore others, such as `preexec_fn`."""


def _start(words: Sequence[Any], **options: Any) -> "subprocess.Popen[Any]":
    """Start a process as `Popen` does, and by a fork if it runs the product and can be one."""
    environment = options.get("env")
    # The server has the environment of this process.
    if (
        environment is not None
        and options.keys() <= OPTIONS_OF_FORKS
        and can_fork(environment, usual=os.environ)
    ):
        match words:
            case [sys.executable, "-m", "controlplane", *arguments]:
                return ForkedCommand(arguments, **options)
            case [sys.executable, program, *_] if str(program).endswith(".py"):
                return ForkedProgram(words[1:], **options)
    return _start_process(words, **options)


if __name__ == "__main__":
    use_server(socket.socket(fileno=int(sys.argv[1])))
    subprocess.Popen = _start  # type: ignore[assignment, misc] # a function in place of the class
    program = sys.argv[2]
    sys.argv[:] = [program]
    runpy.run_path(program, run_name="__main__")
