"""Starts `controlplane` commands as forks of a process that has imported the product already.

A fork costs 30 ms; to start Python and import the product costs half a second. Apart from the
imports, a forked command is like any other process: it has arguments, environment, working
directory, standard streams, session and terminal of its own, signals reach it, and Python ends
it. `tests/support/command_server.py` is the process that forks.

    command = ForkedCommand(["runs"], cwd=folder, env=environment, stdout=subprocess.PIPE)
    out, _ = command.communicate()
"""

import json
import os
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
"""The folder of the repository."""

NUMBER = struct.Struct("i")
"""How the server sends the two numbers of a command: its process id, and later its exit code."""

A_BYTE = b"+"
"""What is sent with descriptors, because they cannot be sent alone."""

CODE_OF_LOST_COMMAND = -9
"""The exit code of a command whose server was killed before it could tell one."""

READ_AT_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "LD_")
"""Beginnings of variables that Python or the C library reads before any code of ours runs.
A command that changes one of them cannot be a fork."""


def can_fork(environment: Mapping[str, str], usual: Mapping[str, str]) -> bool:
    """Return True if a fork can have this environment.

    `usual` is the environment of the server; only the variables that differ from it matter.
    """
    # The server waits for the end of its forks by `pidfd_open`, which only Linux has.
    if not hasattr(os, "pidfd_open"):
        return False
    for name in environment.keys() | usual.keys():
        is_changed = environment.get(name) != usual.get(name)
        if is_changed and name.startswith(READ_AT_START):
            return False
    return True


def exit_code_of(end: SystemExit) -> int:
    """Return the exit code that Python gives a process that ends by this `SystemExit`."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    return 1  # the exception carries a text, which Python prints


PIPE_ENDS = (
    "stdin_read", "stdin_write", "stdout_read", "stdout_write", "stderr_read", "stderr_write",
)  # fmt: skip
"""The ends of the three pipes that `Popen` may open between a command and its parent. Both ends of
a pipe are -1 for a stream that the command inherits."""

PASSED_BY_POPEN = (
    "executable", "preexec_fn", "close_fds", "pass_fds", "cwd", "env",
    "startupinfo", "creationflags", "shell", *PIPE_ENDS,
    "restore_signals", "gid", "gids", "uid", "umask", "start_new_session",
)  # fmt: skip
"""What `subprocess` of Python 3.11 to 3.14 passes to `_execute_child` behind the command's words,
by position."""


class ForkedCommand(subprocess.Popen[Any]):
    """A `Popen` of `controlplane`, whose `args` are the words behind `controlplane`.

    It replaces the three methods of `Popen` that start a process and learn of its end. Each
    command has a *line*: a socket to the server, on which it sends its request and gets the id of
    its process, and later its exit code.
    """

    _server: tuple[socket.socket, "subprocess.Popen[bytes]"] | None = None
    """The server and the socket to it: one for all commands, started by the first of them."""
    _lock = threading.Lock()

    def _execute_child(self, args: Any, *popen_arguments: Any) -> None:
        """Ask the server for a fork, where `Popen` would start a program."""
        # `process_group`, which follows them, is used by no test.
        passed = dict(zip(PASSED_BY_POPEN, popen_arguments, strict=False))
        streams = [
            passed["stdin_read"],
            passed["stdout_write"],
            passed["stderr_write"],
        ]
        for number in range(3):
            if streams[number] == -1:
                streams[number] = number  # the stream of the test itself
        request = {
            "arguments": args,
            "folder": str(passed["cwd"] or Path.cwd()),
            "environment": passed["env"],
            "session": passed["start_new_session"],
        }

        self._line = self._line_to_server()
        socket.send_fds(self._line, [A_BYTE], streams)
        self._line.sendall(json.dumps(request).encode() + b"\n")
        (self.pid,) = NUMBER.unpack(self._line.recv(NUMBER.size))
        self._child_created = True
        self._close_pipe_fds(*(passed[name] for name in PIPE_ENDS))

    @classmethod
    def _line_to_server(cls) -> socket.socket:
        """Return a new connection to the server, which the first command starts."""
        line, server_end = socket.socketpair()
        with server_end, cls._lock:
            if cls._server is None:
                cls._server = _start_server()
            control, _ = cls._server
            socket.send_fds(control, [A_BYTE], [server_end.fileno()])
        return line

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        """Return the exit code if the command has ended, as `Popen.poll` wants it."""
        if self.returncode is None and self._line_is_readable(timeout_s=0):
            exit_code = self._line.recv(NUMBER.size)
            if exit_code:
                (self.returncode,) = NUMBER.unpack(exit_code)
            else:
                self.returncode = CODE_OF_LOST_COMMAND
            self._line.close()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        """Wait for the end of the command, as `Popen.wait` wants it."""
        if self.returncode is None and not self._line_is_readable(timeout_s=timeout):
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        exit_code = self._internal_poll()
        assert exit_code is not None
        return exit_code

    def _line_is_readable(self, timeout_s: float | None) -> bool:
        """Wait until the server has sent something or is gone; return False if it takes longer."""
        readable, _, _ = select.select([self._line], [], [], timeout_s)
        return bool(readable)


def _start_server() -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """Start the process that forks, and return the socket on which it takes commands."""
    from tests.support.command import clean_environment

    control, server_end = socket.socketpair()
    with server_end:
        words = [
            sys.executable,
            "-m",
            "tests.support.command_server",
            str(server_end.fileno()),
        ]
        server = subprocess.Popen(
            words,
            cwd=ROOT,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            pass_fds=[server_end.fileno()],
        )
    return control, server
