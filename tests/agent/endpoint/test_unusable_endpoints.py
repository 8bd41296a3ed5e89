"""Endpoints that cannot be reached, that never end their reply, or send too large a one.

No server can hang a run or fill its memory: every request ends in time. The error may pass, so the
request may be tried again (`retryable`), and all trials that ask now would meet it (`affects_all`).
"""

import gzip
import socket
import threading

import pytest

from controlplane.sandbox.interface import bounds
from tests.support.byte_server import free_port
from tests.support.endpoint_requests import error_of_request
from tests.support.endpoints import ModelHttpRequest, model_server


class TestUnreachableEndpoints:
    """The address has no server, or requests do not get there.

    The server may be starting, or the network be down, so the error may pass (`retryable`), and all
    trials would meet it (`affects_all`).
    """

    def test_address_without_a_server_is_an_error_that_may_pass(self) -> None:
        error = error_of_request(f"http://127.0.0.1:{free_port()}/v1")

        assert error.retryable
        assert error.affects_all
        assert "cannot be reached (" in str(error)
        assert "refused" in str(error).lower()

    def test_address_with_an_unknown_host_is_an_error_that_may_pass(self) -> None:
        """Names cannot be found while the network is down."""
        error = error_of_request("http://no-such-host.invalid/v1")

        assert error.retryable
        assert error.affects_all
        assert "host name that is not found" in str(error)

    def test_error_of_a_proxy_names_the_proxy_and_not_the_endpoint(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The environment variable `HTTPS_PROXY` sends all requests through a proxy, here on this
        machine. The proxy refuses them with the status 407, since it requires a login."""
        with socket.create_server(("127.0.0.1", 0)) as proxy:
            proxy_port = proxy.getsockname()[1]
            monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy_port}")
            monkeypatch.setenv("NO_PROXY", "")

            def refuse_one_connection() -> None:
                connection, _ = proxy.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(
                        b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
                    )

            thread = threading.Thread(target=refuse_one_connection)
            thread.start()
            error = error_of_request("https://models.invalid/v1")
            thread.join()

        expected_text = (
            "through the proxy (407 Proxy Authentication Required); fix HTTPS_PROXY"
        )
        assert expected_text in str(error)


class TestEndlessReplies:
    """A server that never ends its reply is given up after the timeout.

    The timeout is for the whole reply, so bytes that arrive do not extend it.
    """

    @pytest.mark.parametrize(
        ("beginning", "repeated_bytes"),
        [
            pytest.param(b"", b"", id="silence"),
            pytest.param(
                b"HTTP/1.1 200 OK\r\n", b"x-y: z\r\n", id="headers without end"
            ),
            pytest.param(
                b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n",
                b" ",
                id="slow body",
            ),
        ],
    )
    def test_reply_that_does_not_end_is_given_up_after_the_timeout(
        self, beginning: bytes, repeated_bytes: bytes
    ) -> None:
        """The server sends a beginning, and then the same bytes every 0.05 s."""

        def respond_slowly(
            request: ModelHttpRequest, connection: socket.socket
        ) -> bytes:
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


MIB = 2**20


class TestLargeReplies:
    """A reply that is too large does not fill the memory.

    The connection is closed as soon as the size limit is reached.
    """

    def test_body_without_end_is_not_read_beyond_the_size_limit(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The server announces 100 GB, and sends blanks until the connection is closed. The limit
        is lowered to 1 MiB, so that the test is fast."""
        monkeypatch.setattr(bounds, "MOST_REPLY_BYTES", MIB)
        sent_sizes: list[int] = []

        def send_blanks(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            connection.sendall(
                b"HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n"
            )
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

    def test_compressed_body_is_not_unpacked_beyond_the_size_limit(self) -> None:
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
