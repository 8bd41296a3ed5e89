"""An exchange ends when it is told to, in whichever of its parts the other end takes its time."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpcore
import httpx
import pytest

from agent.model import bounded_client, ends_at

SMALL = (socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)
"""A buffer of the system that does not take a whole request at once."""


def sip(client: socket.socket) -> None:
    while client.recv(8_192):
        time.sleep(0.02)


def drip(client: socket.socket) -> None:
    client.recv(65_536)
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}":
        client.sendall(bytes([byte]))
        time.sleep(0.05)


def promise(client: socket.socket) -> None:
    client.recv(65_536)
    for _ in range(50):
        client.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        time.sleep(0.05)


@contextmanager
def listening(behave: Callable[[socket.socket], None]) -> Iterator[str]:
    def serve(listener: socket.socket) -> None:
        client, _ = listener.accept()
        with client:
            try:
                behave(client)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize(
    ("behave", "size", "through_a_proxy"),
    [(sip, 4_000_000, False), (drip, 10, False), (promise, 10, False), (drip, 10, True)],
)
def test_an_exchange_ends_at_its_deadline(
    behave: Callable[[socket.socket], None], size: int, through_a_proxy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(behave) as url:
        target = "http://elsewhere.invalid/" if through_a_proxy else url
        if through_a_proxy:
            monkeypatch.setenv("HTTP_PROXY", url)
            client = bounded_client(timeout=0.4)
        else:
            client = bounded_client(timeout=0.4, transport=httpx.HTTPTransport(socket_options=[SMALL]))
        began = time.monotonic()
        with client, ends_at(began + 0.4), pytest.raises(httpx.TimeoutException):
            client.post(target, content=b"x" * size)
        assert time.monotonic() - began < 1.2


def test_a_deadline_holds_for_its_own_block_alone() -> None:
    def serve(client: socket.socket) -> None:
        client.recv(65_536)
        time.sleep(0.2)
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with listening(serve) as url, bounded_client(timeout=5) as client:
        with ends_at(time.monotonic() - 1):
            pass
        assert client.post(url).text == "{}"


def test_a_body_that_never_pauses_ends_at_its_deadline() -> None:
    transport = httpx.HTTPTransport()
    transport._pool._network_backend = httpcore.MockBackend([b"HTTP/1.1 200 OK\r\n\r\n", b"x", b"x"])
    with bounded_client(transport=transport) as client, client.stream("GET", "http://a/") as response:
        chunks = response.iter_raw()
        assert next(chunks) == b"x"
        with ends_at(time.monotonic() - 1), pytest.raises(httpx.ReadTimeout):
            next(chunks)
