"""Starts `controlplane` commands as forks of a process that has imported the product already.

    command = ForkedCommand(["runs"], cwd=folder, env=environment, stdout=subprocess.PIPE)
    out, _ = command.communicate()

`tests/support/command_server.py` is the process that forks. Each command has a *line*, a socket:

1. test -> server    one end of a new line
2. test -> fork      on the line: the three standard streams, then `{"arguments": ["runs"], ...}`
3. server -> test    on the line: the id of the command's process, and later its exit code
"""

import json
import select
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
"""The folder of the repository."""
NUMBER = struct.Struct("i")
"""How the server sends the two numbers of a command: its process id, and later its exit code."""
A_BYTE = b"+"
"""What is sent on a socket with descriptors: they cannot be sent without a byte of data."""
CODE_OF_LOST_COMMAND = -9
"""The exit code of a command whose server was killed before it could tell one."""
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
"""What `Popen` passes to its method `_execute_child` behind the command's words, by position.

The method is private, but the same in Python 3.11 to 3.14. `ForkedCommand` overrides it.
"""


class ForkedCommand(subprocess.Popen[Any]):
    """A `Popen` of `controlplane`, whose `args` are the words behind `controlplane`.

    A fork has arguments, environment, folder, streams, session and terminal of its own, as any
    process. Three methods of `Popen` are overridden: the one that starts a process, and the two
    that learn of its end.
    """

    _server: tuple[socket.socket, "subprocess.Popen[bytes]"] | None = None
    """The server and the socket to it: one for all commands, started by the first of them."""
    _lock = threading.Lock()

    def _execute_child(self, args: Any, *popen_arguments: Any) -> None:
        """Ask the server for a fork, where `Popen` would start a program.

        `Popen` calls this with the words of the command, and much more by position.
        """
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
