"""A model's server that never ends its reply is given up after the timeout.

The timeout is for the whole reply, so bytes that arrive do not extend it. No server can hang a run.
"""

import socket

import pytest

from tests.support.endpoint_requests import error_of_request
from tests.support.endpoints import ModelHttpRequest, model_server


@pytest.mark.parametrize(
    ("beginning", "repeated_bytes"),
    [
        pytest.param(b"", b"", id="silence"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", b"x-y: z\r\n", id="headers without end"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n",
            b" ",
            id="slow body",
        ),
    ],
)
def test_reply_that_does_not_end_is_given_up_after_the_timeout(
    beginning: bytes, repeated_bytes: bytes
) -> None:
    """The server sends a beginning, and then the same bytes every 0.05 s."""

    def respond_slowly(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(beginning)
        while not server.ended.wait(0.05):
            connection.sendall(repeated_bytes)
        return b""

    with model_server(respond_slowly) as server:
        error = error_of_request(server.url, timeout_s=0.4)

    assert error.retryable
    assert error.affects_all
    assert "did not answer within 0.4 s" in str(error)
    assert "--model-timeout" in str(error)
