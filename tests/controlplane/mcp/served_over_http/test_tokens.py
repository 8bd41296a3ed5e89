"""A server of `controlplane mcp docs --http 127.0.0.1:8765` refuses requests without its token.

The server answers questions about files. It has the token from the variable CONTROLPLANE_MCP_TOKEN of
its environment, and clients send it in a header: `Authorization: Bearer open-sesame`.
"""

from http import HTTPStatus
from pathlib import Path

import httpx2

from controlplane.errors import Unreachable
from tests.controlplane.mcp.served_over_http.http_servers import HttpServer
from tests.support.command import check_error_line, run_in_process


def test_request_without_the_token_of_the_server_is_refused(
    idle_http_server: HttpServer,
) -> None:
    wrong_token = {"Authorization": "Bearer other"}

    reply_without_token = httpx2.post(idle_http_server.url, json={})
    reply_to_wrong_token = httpx2.post(
        idle_http_server.url, json={}, headers=wrong_token
    )

    assert reply_without_token.status_code == HTTPStatus.UNAUTHORIZED
    assert reply_to_wrong_token.status_code == HTTPStatus.UNAUTHORIZED


def test_command_without_the_token_of_the_server_is_refused(
    idle_http_server: HttpServer, tmp_path: Path
) -> None:
    """`controlplane mcp call` calls a tool of a running server. Here its variable for the token
    is empty."""
    result = run_in_process(
        "mcp",
        "call",
        "execute_script",
        "{}",
        cwd=tmp_path,
        CONTROLPLANE_MCP_URL=idle_http_server.url,
        CONTROLPLANE_MCP_TOKEN="",
    )

    check_error_line(
        result, Unreachable.exit_code, "its token is not CONTROLPLANE_MCP_TOKEN"
    )
