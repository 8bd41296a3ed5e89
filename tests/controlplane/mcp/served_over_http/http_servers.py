"""A running server of `controlplane mcp docs --http ADDRESS`, which answers questions about files.

with http_server(folder) as server:
    httpx2.post(server.url, json={})    ->    401, since the request has no token
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.controlplane.mcp.served_over_http.question_client import TOKEN
from tests.support.byte_server import free_port
from tests.support.command import start_controlplane


class HttpServer(NamedTuple):
    """A running server."""

    address: str
    """Host and port: `127.0.0.1:8765`."""
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"http://{self.address}/mcp"


@contextmanager
def http_server(folder: Path) -> Iterator[HttpServer]:
    """Start `controlplane mcp docs --http ADDRESS` and wait until it serves. Kill it at the end."""
    address = f"127.0.0.1:{free_port()}"
    serve = ["mcp", "docs", "--http", address]
    with start_controlplane(
        *serve, cwd=folder, CONTROLPLANE_MCP_TOKEN=TOKEN
    ) as process:
        server = HttpServer(address, process)
        try:
            assert process.stderr is not None
            first_line = process.stderr.readline()
            assert first_line == (
                f"serving {server.url} for the token in CONTROLPLANE_MCP_TOKEN\n"
            )
            yield server
        finally:
            process.kill()
