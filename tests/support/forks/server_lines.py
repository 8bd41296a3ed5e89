"""Connections to the server that forks a process for each command of a test.

A connection, a *line*, is a pair of sockets: the test has one end, the server the other. The server,
`tests/support/forks/command_server.py`, gets its ends over the *control socket*, which it has from its
start. `new_line()` starts the server if it does not run yet.
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

_servers: list[tuple[socket.socket, "subprocess.Popen[bytes]"]] = []
"""The one server with its control socket; empty until it runs."""
_lock = threading.Lock()


def new_line() -> socket.socket:
    """Return a new line to the server, which is started if it does not run yet."""
    line, server_end = socket.socketpair()
    with server_end, _lock:
        if not _servers:
            _servers.append(_start_server())
        control, _ = _servers[0]
        socket.send_fds(control, [A_BYTE], [server_end.fileno()])
    return line


def _start_server() -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """Start the process that forks. It ends when its control socket is closed."""
    # This module imports the present one, so it cannot be imported at the top.
    from tests.support.command import clean_environment

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
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            pass_fds=[server_end.fileno()],
        )
    return control, server
