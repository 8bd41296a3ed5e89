"""Connections are kept for the next exchange with the same server, and go through the environment's proxies."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpcore2
import pytest

from agent.http import Connections, Exchange

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Server:
    """Answers every request alike, and keeps what it was asked."""

    def __init__(self, listener: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.requests: list[bytes] = []
        self.connections = 0
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            while request := client.recv(65_536):
                self.requests.append(request)
                client.sendall(REPLY)


@contextmanager
def serving() -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Server(listener)


def exchange(connections: Connections, url: str, body: bytes = b"", **more: object) -> bytes:
    headers = {"Host": "h", "Content-Length": str(len(body))}
    request = httpcore2.Request("POST", url, headers=headers, content=body)
    done = Exchange(connections, request, ends_at=time.monotonic() + 5, **more)
    try:
        return b"".join(done)
    finally:
        done.close()


def test_a_connection_is_kept_for_the_next_exchange_and_closed_when_it_idled_too_long() -> None:
    connections = Connections(idle_s=0.3)
    with serving() as server:
        for _ in range(3):
            assert exchange(connections, server.url) == b"{}"
        assert server.connections == 1
        time.sleep(0.4)
        exchange(connections, server.url)
        assert server.connections == 2
    connections.close()


def test_head_and_body_of_a_request_leave_as_one() -> None:
    connections = Connections(idle_s=1)
    with serving() as server:
        exchange(connections, server.url, b"body")
        assert len(server.requests) == 1
        assert server.requests[0].endswith(b"\r\n\r\nbody")
    connections.close()


def test_an_exchange_whose_body_was_not_read_leaves_no_connection_behind() -> None:
    connections = Connections(idle_s=1)
    with serving() as server:
        request = httpcore2.Request("GET", server.url, headers={"Host": "h"})
        Exchange(connections, request, ends_at=time.monotonic() + 5).close()
        exchange(connections, server.url)
        assert server.connections == 2
    connections.close()


def test_what_keeps_a_request_back_is_asked_when_the_connection_stands_and_nothing_is_sent() -> None:
    class Back(Exception):
        pass

    connections = Connections(idle_s=1)
    with serving() as server:

        def refuse() -> None:
            assert not server.requests
            raise Back

        with pytest.raises(Back):
            exchange(connections, server.url, b"body", before_sending=refuse)
        assert exchange(connections, server.url, b"body", before_sending=lambda: None) == b"{}"
        assert (server.connections, len(server.requests)) == (2, 1)
    connections.close()


def test_connections_that_were_closed_keep_none() -> None:
    connections = Connections(idle_s=1)
    with serving() as server:
        exchange(connections, server.url)
        connections.close()
        exchange(connections, server.url)
        exchange(connections, server.url)
        assert server.connections == 3


@pytest.mark.parametrize(
    ("variables", "goes_through"),
    [
        ({"HTTP_PROXY": "{proxy}"}, True),
        ({"ALL_PROXY": "{proxy}"}, True),
        ({"http_proxy": "{bare}"}, True),
        ({"HTTPS_PROXY": "{proxy}"}, False),
        ({"HTTP_PROXY": "{proxy}", "NO_PROXY": "127.0.0.1"}, False),
        ({"HTTP_PROXY": "{proxy}", "NO_PROXY": "*"}, False),
        ({"HTTP_PROXY": "{proxy}", "NO_PROXY": "elsewhere.invalid"}, True),
        ({}, False),
    ],
)
def test_the_environment_names_the_proxy(
    variables: dict[str, str], goes_through: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with serving() as proxy, serving() as server:
        for name, value in variables.items():
            monkeypatch.setenv(name, value.format(proxy=proxy.url, bare=proxy.url.removeprefix("http://")))
        connections = Connections(idle_s=1)
        for _ in range(2):
            assert exchange(connections, server.url + "/a") == b"{}"
        assert (len(proxy.requests), len(server.requests)) == ((2, 0) if goes_through else (0, 2))
        assert proxy.connections + server.connections == 1
        if goes_through:
            assert proxy.requests[0].startswith(f"POST {server.url}/a HTTP/1.1".encode())
        connections.close()


@pytest.mark.parametrize("address", ["h:secret", "gopher://h:1", "http://", "socks5://h:1"])
def test_a_proxy_that_cannot_be_used_is_told_without_its_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(ValueError, match="HTTPS_PROXY or ALL_PROXY names cannot be used") as caught:
        Connections(idle_s=1)
    assert "secret" not in str(caught.value)


def test_many_threads_share_the_connections_and_each_gets_its_own_reply() -> None:
    def answer(client: socket.socket) -> None:
        with client:
            while request := client.recv(65_536):
                body = request.partition(b"\r\n\r\n")[2]
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    connections, wrong = Connections(idle_s=0.001), []
    with serving() as server:
        server._answer = answer

        def work(number: int) -> None:
            for each in range(50):
                body = b"%d/%d" % (number, each)
                if exchange(connections, server.url, body) != body:
                    wrong.append(body)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(30)
            assert not each.is_alive()
    assert not wrong
    connections.close()
