"""An exchange ends at its deadline, in whichever of its parts the other end takes its time."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpcore2
import httpx2
import pytest

from agent.http import Connections, deadline_client


class SmallBuffers(httpcore2.SyncBackend):
    """Connects with a buffer of the system that does not take a whole request at once."""

    def connect_tcp(self, *where: object, **how: object) -> httpcore2.NetworkStream:
        stream = super().connect_tcp(*where, **how)
        stream.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)
        return stream


def client(timeout_s: float, network: httpcore2.NetworkBackend | None = None) -> httpx2.Client:
    connections = Connections(idle_s=1, network=network)
    return deadline_client(connections, timeout_s=timeout_s, reply_bytes=2**20, compressed_bytes=2**10)


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
        while True:
            try:
                client, _ = listener.accept()
                with client:
                    behave(client)
            except OSError:
                if listener.fileno() < 0:
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
        began = time.monotonic()
        with client(0.4, SmallBuffers()) as http, pytest.raises(httpx2.TimeoutException):
            http.post(target, content=b"x" * size)
        assert time.monotonic() - began < 10


def test_a_deadline_is_that_of_one_exchange() -> None:
    slow = [True]

    def serve(client: socket.socket) -> None:
        client.recv(65_536)
        if slow.pop() if slow else False:
            time.sleep(0.6)
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with listening(serve) as url, client(0.4) as http:
        with pytest.raises(httpx2.ReadTimeout):
            http.post(url)
        time.sleep(0.4)
        assert http.post(url).text == "{}"


def test_a_body_that_never_pauses_ends_at_its_deadline() -> None:
    network = httpcore2.MockBackend([b"HTTP/1.1 200 OK\r\n\r\n", b"x", b"x"])
    with client(0.2, network) as http, http.stream("GET", "http://a.invalid/") as response:
        chunks = response.iter_raw()
        assert next(chunks) == b"x"
        time.sleep(0.25)
        with pytest.raises(httpx2.ReadTimeout):
            next(chunks)


def test_the_refusal_of_a_request_that_was_not_taken_whole_is_read() -> None:
    def refuse(client: socket.socket) -> None:
        client.recv(100)
        client.sendall(b"HTTP/1.1 413 Too Long\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        client.shutdown(socket.SHUT_WR)
        while client.recv(65_536):
            pass

    with listening(refuse) as url, client(5) as http:
        assert http.post(url, content=b"x" * 1_000_000).status_code == 413


def test_an_address_of_another_protocol_is_refused() -> None:
    with client(1) as http, pytest.raises(httpx2.UnsupportedProtocol, match="ftp://"):
        http.get("ftp://127.0.0.1/")
