"""Connections to the server that forks a process for each command of a test.

A connection, a *line*, is a pair of sockets: the test has one end, the server the other. The server,
`tests/support/forks/command_server.py`, gets its ends over the *control socket*, which it has from its
start. `new_line()` starts the server if it does not run yet. A process that was handed the control
socket of a running server uses that one: `use_server(control)`.
"""

import socket
import struct
import subprocess
import sys
import threading

from tests.support.product_files import ROOT

NUMBER = struct.Struct("i")
"""How the server sends the two numbers of a command over its line, which the test reads: the process
id, and later the exit code."""

A_BYTE = b"+"
"""What is sent on a socket with descriptors: they cannot be sent without a byte of data."""

Server = tuple[socket.socket, "subprocess.Popen[bytes] | None"]
"""The control socket of a server, and its process, unless another process has started it."""

_servers: list[Server] = []
"""The one server; empty until it runs."""
_lock = threading.Lock()


def new_line() -> socket.socket:
    """Return a new line to the server, which is started if it does not run yet."""
    line, server_end = socket.socketpair()
    with server_end, _lock:
        if not _servers:
            # That module imports this one, so it cannot be imported at the top.
            from tests.support.command import clean_environment

            _servers.append(start_server(clean_environment()))
        control, _ = _servers[0]
        socket.send_fds(control, [A_BYTE], [server_end.fileno()])
    return line


def use_server(control: socket.socket) -> None:
    """Let a server that runs already, whose control socket this is, fork all commands."""
    _servers.append((control, None))


def start_server(
    environment: dict[str, str],
) -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """Start the process that forks. It ends when its control socket is closed."""
    control, server_end = socket.socketpair()
    with server_end:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.support.forks.command_server",
                str(server_end.fileno()),
            ],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            pass_fds=[server_end.fileno()],
        )
    return control, server
