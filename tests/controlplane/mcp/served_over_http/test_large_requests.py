"""A server of `controlplane mcp docs --http ADDRESS` refuses requests of more than 4 MB.

A request of 5 MB gets the status 413, whether it says its length or comes in chunks.
"""

from contextlib import suppress
from http import HTTPStatus

import httpx2
import pytest

from tests.controlplane.mcp.served_over_http.http_servers import HttpServer
from tests.controlplane.mcp.served_over_http.question_client import BEARER_TOKEN


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b" " * 5_000_000, id="whole"),
        # Such a body has no header that says its length.
        pytest.param([b" " * 1_000_000] * 5, id="in chunks"),
    ],
)
def test_request_of_5_mb_is_refused(
    body: bytes | list[bytes], idle_http_server: HttpServer
) -> None:
    """The server may close the connection before it has read all."""
    content = body if isinstance(body, bytes) else iter(body)

    with suppress(httpx2.TransportError):
        reply = httpx2.post(idle_http_server.url, content=content, headers=BEARER_TOKEN)
        assert reply.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
