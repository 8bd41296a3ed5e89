"""The process that has imported the product, and forks for each `controlplane` command of a test.

Started by `tests/support/forked_command.py` with the number of its control socket. For each
command it gets a socket, the command's line, on which:

1. the test sends the three standard streams and the request, `{"arguments": ["runs"], ...}`;
2. the server sends the process id of the fork, and once the fork has ended, its exit code.
"""

import atexit
import contextlib
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import socket
import sys
import termios
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any, NoReturn

from controlplane.lifecycle.resources import run_sandbox
from tests.support.forked_command import NUMBER
from tests.support.shared_fork_servers import EVERY_RUN, shared_fork_servers

PRELOADED = (
    "controlplane",
    "controlplane.benchmarks.ecom",
    "controlplane.benchmarks.shop",
)
"""The packages whose modules are imported before the first fork."""

NOT_PRELOADED = (
    "controlplane.__main__",
    "controlplane.benchmarks",
    "controlplane.gates.__main__",
    "controlplane.mcp",
    "controlplane.sandbox",
    "controlplane.workers.dask_workers",
)
"""Parts of `controlplane` that few commands import, or that do something when imported."""

CODE_OF_FAILED_FLUSH = 120
"""The exit code of Python if a standard stream cannot be written out at the end."""


@dataclass(frozen=True)
class RunningFork:
    """A command that has not ended yet: its process id, and the line to the test."""

    pid: int
    line: socket.socket


def _serve(control: socket.socket) -> socket.socket:
    """Fork for every request until the control socket is closed.

    Returns only in the forked processes, with the line of the command.
    """
    running: dict[int, RunningFork] = {}
    """The forks by their pidfd, a descriptor that becomes readable when the process has ended."""
    while True:
        readable, _, _ = select.select([control, *running], [], [])
        for ready in readable:
            if ready is not control:
                _report_end(ready, running.pop(ready))
                continue

            message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
            if not message:  # The test process has closed its end.
                os._exit(0)
            line = socket.socket(fileno=descriptors[0])
            pid = os.fork()
            if pid == 0:
                control.close()
                _close_all(running)
                return line
            running[os.pidfd_open(pid)] = RunningFork(pid, line)
            line.sendall(NUMBER.pack(pid))


def _report_end(pidfd: int, fork: RunningFork) -> None:
    """Tell the test the exit code of a fork that has ended."""
    os.close(pidfd)
    _, status = os.waitpid(fork.pid, 0)
    exit_code = os.waitstatus_to_exitcode(status)
    with fork.line, contextlib.suppress(OSError):  # Nobody may wait for it.
        fork.line.sendall(NUMBER.pack(exit_code))


def _close_all(running: dict[int, RunningFork]) -> None:
    """Close what a new fork inherited of the other commands."""
    for pidfd, fork in running.items():
        os.close(pidfd)
        fork.line.close()


def _become(line: socket.socket) -> NoReturn:
    """Turn a fresh fork into the command that the request asks for, and run it to its end."""
    _, streams, _, _ = socket.recv_fds(line, 1, 3)
    with line, line.makefile("rb") as received:
        request = json.loads(received.readline())
    if request["session"]:
        os.setsid()
    _replace_standard_streams(streams)
    if request["session"] and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # The terminal is the command's own.
    _take_on_surroundings(request)

    code = 1
    try:
        runpy.run_module("controlplane", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:  # noqa: BLE001 - as Python ends
        traceback.print_exc()
    finally:
        _exit(code)


def _replace_standard_streams(descriptors: list[int]) -> None:
    """Make these descriptors 0, 1 and 2, and open Python's standard streams on them anew."""
    for standard_number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard_number)
        os.close(descriptor)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - it stays open as long as the process
    for number, name in ((1, "stdout"), (2, "stderr")):
        old_stream = getattr(sys, name)
        new_stream = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            old_stream.encoding,
            old_stream.errors,
            line_buffering=name == "stderr" or os.isatty(number),
        )
        setattr(sys, name, new_stream)
        setattr(sys, f"__{name}__", new_stream)


def _take_on_surroundings(request: dict[str, Any]) -> None:
    """Take on the environment, the folder and the arguments of the request."""
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    sys.path[0] = request["folder"]
    sys.argv[1:] = request["arguments"]


def _exit(code: int) -> NoReturn:
    """End as Python does, but without freeing its objects.

    To free an object is to write to its memory, and the first write to a page that a fork shares
    copies the page: the end of a command would copy all of the server.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or CODE_OF_FAILED_FLUSH
    os._exit(code)


def _preload() -> None:
    """Import what commands import, before they are forked."""
    for package_name in PRELOADED:
        package = importlib.import_module(package_name)
        for module in pkgutil.walk_packages(package.__path__, f"{package_name}."):
            if package_name == "controlplane" and module.name.startswith(NOT_PRELOADED):
                continue
            importlib.import_module(module.name)
    for name in ("openai", "rich.live", "jinja2", "yaml"):
        importlib.import_module(name)
    # Makes the server of sandboxes that `shared_fork_servers` gives to every command.
    run_sandbox.ForkServer(EVERY_RUN).close()
    # What is frozen the garbage collector leaves alone, so that forks go on sharing its memory.
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1, "a process with threads cannot be forked"


if __name__ == "__main__":
    with shared_fork_servers():
        _preload()
        _become(_serve(socket.socket(fileno=int(sys.argv[1]))))
