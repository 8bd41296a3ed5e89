"""An MCP server that is running already is used over HTTP, at its address.

The user names it by a URL, such as `http://127.0.0.1:8000/mcp`, in place of a command that starts it.
"""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.tool_environment.loans_spec import LOANS_SERVER
from tests.support.byte_server import free_port
from tests.support.command import wait_until


def is_listening(port: int) -> bool:
    """Return whether a server accepts connections at this port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def loans_server_over_http() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Yield the URL of `LOANS_SERVER` and its process."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, LOANS_SERVER, "http", str(port)], stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: is_listening(port))
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.wait()


def test_server_over_http_is_used_until_it_ends() -> None:
    """The user did not start it by a command, so it is not started again."""
    with loans_server_over_http() as (url, process):
        spec = ServerSpec(url=url, headers={"X-Key": "1"})
        access = ToolAccess({"loans": spec})
        with with_tools(EmptyEnvironment(), access) as environment:
            result = environment.call("loans.loan", {"number": 2})
            assert "2026-03-01" in str(result["text"])

            process.kill()
            process.wait()
            with pytest.raises(CallError, match=r"loans\.loan failed"):
                environment.call("loans.loan", {"number": 2})
