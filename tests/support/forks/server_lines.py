"""Lines to the process that forks for each command of a test. A *line* is a socket.

The first line starts the process, `tests/support/forks/command_server.py`. It gets one end of each
new line over a socket that it has from its start, the control socket.
"""

import socket
import struct
import subprocess
import sys
import threading

from tests.support.product_files import ROOT

NUMBER = struct.Struct("i")
"""How the server sends the two numbers of a command: its process id, and later its exit code."""

A_BYTE = b"+"
"""What is sent on a socket with descriptors: they cannot be sent without a byte of data."""

_servers: list[tuple[socket.socket, "subprocess.Popen[bytes]"]] = []
"""The server and its control socket; empty until it runs."""
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
