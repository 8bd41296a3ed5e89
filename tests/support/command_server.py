"""The process that has imported the command line,
and is forked for each command of `forked_command`."""

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
from typing import NoReturn

from controlplane.lifecycle.resources import run_sandbox
from tests.support.forked_command import NUMBER
from tests.support.shared_fork_servers import EVERY_RUN, shared_fork_servers

PRELOADED = (
    "controlplane",
    "controlplane.benchmarks.ecom",
    "controlplane.benchmarks.shop",
)
NOT_PRELOADED = (
    "controlplane.__main__",
    "controlplane.benchmarks",
    "controlplane.gates.__main__",
    "controlplane.mcp",
    "controlplane.sandbox",
    "controlplane.workers.dask_workers",
)
"""Unless they are named above."""


def _serve(control: socket.socket) -> socket.socket:
    """Fork for every request until the control socket is closed.

    Return in the forked process, with its line.
    """
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for ready in select.select([control, *running], [], [])[0]:
            if ready is control:
                asked, descriptors, _, _ = socket.recv_fds(control, 1, 1)
                if not asked:
                    os._exit(0)
                line = socket.socket(fileno=descriptors[0])
                pid = os.fork()
                if pid == 0:
                    control.close()
                    for handle, (_, other) in running.items():
                        os.close(handle)
                        other.close()
                    return line
                running[os.pidfd_open(pid)] = pid, line
                line.sendall(NUMBER.pack(pid))
            else:
                pid, line = running.pop(ready)
                os.close(ready)
                _, status = os.waitpid(pid, 0)
                with line, contextlib.suppress(OSError):  # Nobody may wait for it.
                    line.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))


def _become(line: socket.socket) -> None:
    """Take on what the request says, and run the command line."""
    _, streams, _, _ = socket.recv_fds(line, 1, 3)
    with line, line.makefile("rb") as received:
        request = json.loads(received.readline())
    if request["session"]:
        os.setsid()
    for usual, own in enumerate(streams):
        os.dup2(own, usual)
        os.close(own)
    if request["session"] and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - it stays open as long as the process
    for number, name in ((1, "stdout"), (2, "stderr")):
        is_lines = number == 2 or os.isatty(number)
        old = getattr(sys, name)
        new = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            old.encoding,
            old.errors,
            line_buffering=is_lines,
        )
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    sys.path[0] = request["folder"]
    sys.argv[1:] = request["arguments"]
    code = 1
    try:
        runpy.run_module("controlplane", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:  # noqa: BLE001 - as Python ends
        traceback.print_exc()
    finally:
        _exit(code)


def _exit(code: int) -> NoReturn:
    """End as Python does, but leave its objects alone:
    to touch them would copy all of the server's memory."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 120
    os._exit(code)


def _preload() -> None:
    """Import what commands import, before they are forked."""
    for package in PRELOADED:
        module = importlib.import_module(package)
        for found in pkgutil.walk_packages(module.__path__, f"{package}."):
            if package != "controlplane" or not found.name.startswith(NOT_PRELOADED):
                importlib.import_module(found.name)
    for name in ("openai", "rich.live", "jinja2", "yaml"):
        importlib.import_module(name)
    run_sandbox.ForkServer(EVERY_RUN).close()  # Starts what it was a copy of.
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1


if __name__ == "__main__":
    with shared_fork_servers():
        _preload()
        _become(_serve(socket.socket(fileno=int(sys.argv[1]))))
