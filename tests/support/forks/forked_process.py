"""Turns a fresh fork of the server into the command, or the program, that a test asks for.

The fork has everything of the server: its environment, its folder, its standard streams. The request
of the test says what the command has in their place: `{"arguments": ["runs"], "is_program": false,
"folder": "/tmp/a", "environment": {...}, "session": false}`. The arguments of a program are its path
and its words: `["/tmp/a/program.py", "runs"]`.
"""

import atexit
import fcntl
import json
import os
import runpy
import socket
import sys
import termios
import threading
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

from tests.support.forks.fork_conditions import exit_code_of
from tests.support.forks.standard_streams import replace_standard_streams

CODE_OF_FAILED_FLUSH = 120
"""The exit code of Python if a standard stream cannot be written out at the end."""


def become(line: socket.socket) -> NoReturn:
    """Run, in a fresh fork, the command or the program that a test asks for on `line`, a socket.

    The test sends the three standard streams and a request, `{"arguments": ["runs"], "is_program":
    false, "session": false, ...}`. With a session of its own, a command can have a terminal.
    """
    _, streams, _, _ = socket.recv_fds(line, 1, 3)
    with line, line.makefile("rb") as received:
        request = json.loads(received.readline())
    if request["session"]:
        os.setsid()
    replace_standard_streams(streams)
    if request["session"] and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # The terminal is the command's own.
    _take_on_surroundings(request)

    code = 1
    try:
        if request["is_program"]:
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            runpy.run_module("controlplane", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = exit_code_of(end)
    except BaseException:  # noqa: BLE001 - Python, too, prints whatever ends a program
        traceback.print_exc()
    finally:
        _exit(code)


def _take_on_surroundings(request: dict[str, Any]) -> None:
    """Take on the environment, the folder and the arguments of the request."""
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    if request["is_program"]:
        sys.argv[:] = request["arguments"]
        sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    else:
        sys.argv[1:] = request["arguments"]
        sys.path[0] = request["folder"]


def _exit(code: int) -> NoReturn:
    """End the process as Python does, but without freeing its objects.

    A fork shares the memory of the server until one of them writes to it, which copies the page.
    To free all objects would write to nearly every page, and so copy the whole server.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or CODE_OF_FAILED_FLUSH
    os._exit(code)
