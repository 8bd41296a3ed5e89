"""The process that has imported the product, and forks for each `controlplane` command of a test.

A test does not start a Python process for each command, because that imports the product every time.
It talks to this server, which `tests/support/forked_command.py` has started:

    test    -- a new socket, the command's *line* -->      server, over the one control socket
    test    -- standard streams, words of the command -->  fork, over the line
    server  -- process id of the fork -->                  test, over the line
    server  -- exit code, when the fork has ended -->      test, over the line
"""

import contextlib
import gc
import importlib
import os
import pkgutil
import select
import socket
import sys
import threading
from dataclasses import dataclass

from controlplane.lifecycle.resources import run_sandbox
from tests.support.forked_command import NUMBER
from tests.support.forked_process import become
from tests.support.shared_fork_servers import EVERY_RUN, shared_fork_servers

PRELOADED = (
    "controlplane",
    "controlplane.benchmarks.ecom",
    "controlplane.benchmarks.shop",
)
"""The packages whose modules are imported before the first fork.

Of `controlplane`, the parts below are left out. The two benchmarks stand here by their own names,
because `controlplane.benchmarks` is one of these parts.
"""

NOT_PRELOADED = (
    "controlplane.__main__",
    "controlplane.benchmarks",
    "controlplane.gates.__main__",
    "controlplane.mcp",
    "controlplane.sandbox",
    "controlplane.workers.dask_workers",
)
"""Parts of `controlplane` that few commands import, or that do something when imported."""


@dataclass(frozen=True, eq=False)
class RunningCommand:
    """A forked command that has not ended yet.

    `select` can wait for its end, because `fileno` returns a descriptor that becomes readable.
    """

    pid: int
    pidfd: int
    """A descriptor of the process, which becomes readable when the process has ended."""
    line: socket.socket
    """The connection to the test that started the command."""

    def fileno(self) -> int:
        return self.pidfd

    def report_end(self) -> None:
        """Send the test the exit code of the process, which has ended, and close the line."""
        _, status = os.waitpid(self.pid, 0)
        exit_code = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(OSError):  # The test may not wait for it any more.
            self.line.sendall(NUMBER.pack(exit_code))
        self.close()

    def close(self) -> None:
        """Close what this process has of the command; the command itself goes on."""
        os.close(self.pidfd)
        self.line.close()


def _fork_for_each_command(control: socket.socket) -> socket.socket:
    """Fork a process for each command, until the test process closes `control`.

    The server never returns from here. Each fork does, with the *line*: the socket on which the
    test that wants the command sends its request, which is still to be read.
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


def _preload() -> None:
    """Import what commands import, so that their forks have it already."""
    for package_name in PRELOADED:
        package = importlib.import_module(package_name)
        for module in pkgutil.walk_packages(package.__path__, f"{package_name}."):
            if package_name == "controlplane" and module.name.startswith(NOT_PRELOADED):
                continue
            importlib.import_module(module.name)
    for name in ("openai", "rich.live", "jinja2", "yaml"):
        importlib.import_module(name)

    # Start the process that runs the scripts of all commands. `shared_fork_servers` has replaced
    # this class: `close` leaves the process running, and commands that make one get the same.
    run_sandbox.ForkServer(EVERY_RUN).close()

    # The garbage collector writes to the objects that it looks at. It leaves frozen ones alone, so
    # that forks go on sharing their memory.
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1, "a process with threads cannot be forked"


if __name__ == "__main__":
    with shared_fork_servers():
        _preload()
        line = _fork_for_each_command(socket.socket(fileno=int(sys.argv[1])))
        become(line)  # in a fork
