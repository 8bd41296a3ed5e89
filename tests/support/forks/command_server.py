"""The process that has imported the product, and forks for each `controlplane` command of a test.

Programs in Python that use the product may be forks, too; what is said of commands is true of them.
A test does not start a Python process for each, because that imports the product every time. It
talks to this server, which `tests/support/forks/forked_process.py` has started:

    test    -- a new socket, the command's *line* -->      server, over the one control socket
    test    -- standard streams, words of the command -->  fork, over the line
    server  -- process id of the fork -->                  test, over the line
    server  -- exit code, when the fork has ended -->      test, over the line
"""

import gc
import os
import select
import socket
import sys
import threading

from controlplane.lifecycle.resources import run_sandbox
from tests.support.forks.forked_process import (
    EVERY_RUN,
    NUMBER,
    RunningCommand,
    become,
    import_modules_of_commands,
)
from tests.support.forks.shared_fork_servers import shared_fork_servers


def _fork_for_each_command(control: socket.socket) -> socket.socket:
    """Fork a process for each command, until the test process closes `control`.

    The server never returns from here. Each fork does, with its line, on which the test sends the
    request for the command.
    """
    running: list[RunningCommand] = []
    while True:
        readable, _, _ = select.select([control, *running], [], [])
        for command in readable:
            if command is not control:
                command.report_end()
                running.remove(command)
        if control not in readable:
            continue

        # One byte comes with each line, because a descriptor cannot be sent alone.
        byte, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not byte:  # The test process has closed its end.
            os._exit(0)
        line = socket.socket(fileno=descriptors[0])
        pid = os.fork()
        if pid == 0:
            control.close()
            for command in running:
                command.close()
            return line
        running.append(RunningCommand(pid, os.pidfd_open(pid), line))
        line.sendall(NUMBER.pack(pid))


def _prepare_forks() -> None:
    """Do what every command would do: import modules, and start the process that runs scripts."""
    import_modules_of_commands()
    # `shared_fork_servers` has replaced this class: `close` leaves the process running, and
    # commands that make one get the same.
    run_sandbox.ForkServer(EVERY_RUN).close()

    # The garbage collector writes to the objects that it looks at. It leaves frozen ones alone, so
    # that forks go on sharing their memory.
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1, "a process with threads cannot be forked"


if __name__ == "__main__":
    with shared_fork_servers():
        _prepare_forks()
        line = _fork_for_each_command(socket.socket(fileno=int(sys.argv[1])))
        become(line)  # in a fork
