"""A reply of a model's server that is too large does not fill the memory.

The connection is closed as soon as the size limit is reached, `MOST_REPLY_BYTES`. It holds for the
unpacked reply, too, since a small file in gzip may unpack to a very large one.
"""

import gzip
import socket

import pytest

from controlplane.sandbox.interface import bounds
from tests.support.endpoint_requests import error_of_request
from tests.support.endpoints import ModelHttpRequest, model_server

MIB = 2**20


def test_body_without_end_is_not_read_beyond_the_size_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server announces 100 GB, and sends blanks until the connection is closed. The limit
    is lowered to 1 MiB, so that the test is fast."""
    monkeypatch.setattr(bounds, "MOST_REPLY_BYTES", MIB)
    sent_sizes: list[int] = []

    def send_blanks(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n")
        while not server.ended.is_set():
            sent_sizes.append(connection.send(b" " * 2**16))
        return b""

    with model_server(send_blanks) as server:
        error = error_of_request(server.url)

    assert "sent more than 1 MiB" in str(error)
    assert error.retryable
    assert error.affects_all
    # Buffers of the operating system hold some MiB when the connection is closed.
    assert sum(sent_sizes) < 32 * MIB


def test_compressed_body_is_not_unpacked_beyond_the_size_limit() -> None:
    """The body, in gzip, is far smaller than the limit. Unpacked, it is one byte larger."""
    blanks = b" " * (bounds.MOST_REPLY_BYTES + 1)
    head = (
        b"HTTP/1.1 200 OK\r\n"
        b"content-encoding: gzip\r\n"
        b"content-type: application/json\r\n"
        b"connection: close\r\n\r\n"
    )
    body = gzip.compress(blanks, compresslevel=1)

    with model_server(head + body) as server:
        error = error_of_request(server.url)

    limit_mib = bounds.MOST_REPLY_BYTES // MIB
    assert f"sent more than {limit_mib} MiB" in str(error)
    assert error.retryable
    assert error.affects_all
