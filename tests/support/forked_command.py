"""Starts commands as forks of a process that has imported
the command line: each costs 30 ms, not half a second.

A command is a process of its own as one that exec starts: it has its own arguments,
environment, working directory, standard streams, limits, session and terminal, signals
reach it, and Python ends it. Only its imports are done.
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
NUMBER = struct.Struct("i")
READ_AT_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "LD_")
"""How variables begin that Python or the C library reads
before any code of ours: these need a Python of their own."""


def can_fork(environment: Mapping[str, str], usual: Mapping[str, str]) -> bool:
    """Say whether a fork can have this environment,
    which differs from the `usual` one of the server."""
    changed = {
        name
        for name in environment.keys() | usual.keys()
        if environment.get(name) != usual.get(name)
    }
    return hasattr(os, "pidfd_open") and not any(
        name.startswith(READ_AT_START) for name in changed
    )


class ForkedCommand(subprocess.Popen[Any]):
    """A `Popen` of the command line in `args`, without the words that start Python."""

    _server: tuple[socket.socket, "subprocess.Popen[bytes]"] | None = None
    _lock = threading.Lock()

    def _execute_child(self, args: Any, *given: Any) -> None:
        _, _, _, _, cwd, env, _, _, _, *pipes = given[:15]
        streams = [
            own if own != -1 else usual
            for usual, own in enumerate((pipes[0], pipes[3], pipes[5]))
        ]
        request = {
            "arguments": args,
            "folder": str(cwd or Path.cwd()),
            "environment": env,
            "session": given[20],
        }
        self._line, theirs = socket.socketpair()
        with theirs, self._lock:
            if self._server is None:
                type(self)._server = _start_server()
            assert self._server is not None
            socket.send_fds(self._server[0], [b"+"], [theirs.fileno()])
        socket.send_fds(self._line, [b"+"], streams)
        self._line.sendall(json.dumps(request).encode() + b"\n")
        (self.pid,) = NUMBER.unpack(self._line.recv(NUMBER.size))
        self._child_created = True
        self._close_pipe_fds(*pipes)

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and select.select([self._line], [], [], 0)[0]:
            end = self._line.recv(NUMBER.size)
            self.returncode = NUMBER.unpack(end)[0] if end else -9
            self._line.close()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if (
            self.returncode is None
            and not select.select([self._line], [], [], timeout)[0]
        ):
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        ended = self._internal_poll()
        assert ended is not None
        return ended


def _start_server() -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    from tests.support.command import clean_environment

    ours, theirs = socket.socketpair()
    with theirs:
        words = [
            sys.executable,
            "-m",
            "tests.support.command_server",
            str(theirs.fileno()),
        ]
        server = subprocess.Popen(
            words,
            cwd=ROOT,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
    return ours, server
