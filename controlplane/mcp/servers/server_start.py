"""Starts an MCP server for a trial, and says why if it does not start."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from controlplane.errors import ServerFailed, extra_module
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.servers.restarting_connection import RestartingConnection
from controlplane.mcp.servers.server_texts import error_text
from controlplane.mcp.servers.tool_server import ToolServer


@contextmanager
def running_server(name: str, spec: ServerSpec) -> Iterator[ToolServer]:
    """Start a server, or connect to it, list its tools, and yield it.

    Raises `ServerFailed` and `UsageError`.
    """
    extra_module("mcp", "--mcp", "mcp")
    from anyio.from_thread import start_blocking_portal

    for name_of_logger in ("mcp", "client"):  # They record what servers send.
        logging.getLogger(name_of_logger).setLevel(logging.CRITICAL)
    with start_blocking_portal() as portal:
        connection = RestartingConnection(spec, portal)
        try:
            _open(connection, name, spec)
            yield ToolServer(name, spec, connection)
        finally:
            connection.close()


def _open(connection: RestartingConnection, name: str, spec: ServerSpec) -> None:
    """Start a server. Any error becomes a `ServerFailed` that quotes the server's output."""
    try:
        connection.open()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        failure = "did not start"
        if spec.url:
            failure = f"at {spec.shown_url} cannot be reached"
        msg = f"the MCP server {name} {failure}: {error_text(error, spec)}"
        output = connection.errors.shown(spec.secrets)
        if output:
            msg += f"; it wrote: {output}"
        raise ServerFailed(msg) from error
