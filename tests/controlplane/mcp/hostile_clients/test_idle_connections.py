"""Idle connections to an MCP server over HTTP do not keep other clients out.

Of 300 connections, two stop in the middle of a request, and 298 send nothing. Two further clients
get a reply all the same.
"""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus

import httpx2

from controlplane.mcp.serving.http_serving import served_over_http
from controlplane.mcp.serving.offered_server import ServerOffer, offered_server

HALF_OF_A_HEAD = b"POST /mcp HTTP/1.1\r\nhost: x\r\n"

BEGINNING_OF_A_BODY = (
    HALF_OF_A_HEAD + b"authorization: Bearer open-sesame\r\ncontent-length: 9\r\n\r\n{"
)


@contextmanager
def idle_connections(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Open connections to a server on this machine, and close them behind the block."""
    with ExitStack() as open_connections:
        connections: list[socket.socket] = []
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port), timeout=20)
            open_connections.enter_context(connection)
            connections.append(connection)
        yield connections


def test_idle_connections_do_not_keep_other_clients_of_an_http_server_out() -> None:
    """The server refuses both requests: the first is longer than 4 MB, and the second lacks the
    token."""
    server = offered_server(ServerOffer(tools=[], instructions=""), lambda *_: "")
    body_of_4_2_mb = b"[" + b"{}," * 1_400_000 + b"{}]"
    with served_over_http(server, "open-sesame") as url:
        port = httpx2.URL(url).port
        assert port is not None
        with idle_connections(port, count=300) as connections:
            connections[0].sendall(BEGINNING_OF_A_BODY)
            connections[1].sendall(HALF_OF_A_HEAD)

            reply_to_long_body = httpx2.post(
                url,
                content=body_of_4_2_mb,
                headers={
                    "Authorization": "Bearer open-sesame",
                    "Content-Type": "application/json",
                },
            )
            reply_without_token = httpx2.post(url, json={})

    assert reply_to_long_body.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert reply_without_token.status_code == HTTPStatus.UNAUTHORIZED
