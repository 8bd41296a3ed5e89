"""The address of a model's API has no server, or requests do not get there.

The server may be starting, or the network be down, so the request may be tried again (the error is
`retryable`), and all other trials would meet the error (`affects_all`).
"""

import socket

import pytest

from tests.support.byte_server import ByteServer, free_port
from tests.support.endpoint_requests import error_of_request


def test_address_without_a_server_is_an_error_that_may_pass() -> None:
    error = error_of_request(f"http://127.0.0.1:{free_port()}/v1")

    assert error.retryable
    assert error.affects_all
    assert "cannot be reached (" in str(error)
    assert "refused" in str(error).lower()


def test_address_with_an_unknown_host_is_an_error_that_may_pass() -> None:
    """Names cannot be found while the network is down."""
    error = error_of_request("http://no-such-host.invalid/v1")

    assert error.retryable
    assert error.affects_all
    assert "host name that is not found" in str(error)


def require_login(connection: socket.socket, request: bytes) -> None:
    """Refuse a request, as a proxy does that knows nobody."""
    status = b"HTTP/1.1 407 Proxy Authentication Required"
    connection.sendall(status + b"\r\ncontent-length: 0\r\n\r\n")


def test_error_of_a_proxy_names_the_proxy_and_not_the_endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The environment variable `HTTPS_PROXY` sends all requests through a proxy, here on this
    machine."""
    monkeypatch.setenv("NO_PROXY", "")
    with ByteServer(require_login) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        error = error_of_request("https://models.invalid/v1")

    expected_text = (
        "through the proxy (407 Proxy Authentication Required); fix HTTPS_PROXY"
    )
    assert expected_text in str(error)
