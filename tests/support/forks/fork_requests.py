"""Asks the server, the process that forks, for the process of one `controlplane` command.

Each command has a *line*, a socket to the server, over which go

1. test -> fork      a byte with the descriptors of the three standard streams
2. test -> fork      a line of JSON, `{"arguments": ["runs"], "folder": "/tmp/a", ...}`
3. server -> test    the id of the command's process, as `NUMBER`
4. server -> test    its exit code, as `NUMBER`, when the command has ended
"""

import json
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.forks.popen_arguments import standard_streams
from tests.support.forks.server_lines import A_BYTE, NUMBER, new_line


def request_fork(
    arguments: Sequence[str], passed: dict[str, Any], *, is_program: bool
) -> tuple[socket.socket, int]:
    """Start a command with these arguments; return its line and the id of its process.

    With `is_program`, the first argument is the path of a Python program to run in place of the
    product. `passed` is what `Popen` was given: `{"cwd": "/tmp/a", "env": {...}, "stdin_read": -1, ...}`.
    """
    request = {
        "arguments": arguments,
        "is_program": is_program,
        "folder": str(passed["cwd"] or Path.cwd()),
        "environment": passed["env"],
        "session": passed["start_new_session"],
    }

    line = new_line()
    socket.send_fds(line, [A_BYTE], standard_streams(passed))
    line.sendall(json.dumps(request).encode() + b"\n")
    (process_id,) = NUMBER.unpack(line.recv(NUMBER.size))
    return line, process_id
