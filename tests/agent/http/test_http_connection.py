"""Exchanges with a server that does to its connections whatever a test says."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from agent.http import Exchange, HttpConnections, HttpError, HttpReply

Behaviour = Callable[[socket.socket, bytes], None]
DONE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Server:
    """Does the behaviour to each request once it has come, or begun to come, and keeps them."""

    def __init__(self, listener: socket.socket, behave: Behaviour, tls: ssl.SSLContext | None, *, whole: bool) -> None:
        self.port = listener.getsockname()[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        self.requests: list[bytes] = []
        self.connections = 0
        self._behave, self._tls, self._whole = behave, tls, whole
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), self._tls.wrap_socket(client, server_side=True) if self._tls else client as served:
            while request := served.recv(65_536):
                length = int(request.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
                while self._whole and len(request.partition(b"\r\n\r\n")[2]) < length:
                    request += served.recv(2**20)
                self.requests.append(request)
                self._behave(served, request)


@contextmanager
def serving(
    behave: Behaviour | bytes = DONE, tls: ssl.SSLContext | None = None, *, whole: bool = True
) -> Iterator[Server]:
    sending = behave if callable(behave) else lambda client, _: client.sendall(behave)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Server(listener, sending, tls, whole=whole)
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def connections() -> Iterator[HttpConnections]:
    opened = HttpConnections(idle_s=0.3, reply_bytes=2**20)
    yield opened
    opened.close()


def begin(connections: HttpConnections, url: str, body: bytes = b"", **more: object) -> Exchange:
    return Exchange(connections, url, [(b"X-Test", b"1")], body, **({"deadline_s": 5.0} | more))


def post(connections: HttpConnections, url: str, body: bytes = b"", **more: object) -> HttpReply:
    return begin(connections, url, body, **more).finish()


def fault(connections: HttpConnections, url: str, body: bytes = b"", **more: object) -> tuple[str, bool]:
    with pytest.raises(HttpError) as raised:
        post(connections, url, body, **more)
    return raised.value.fault, raised.value.may_have_happened


def test_a_connection_is_kept_for_the_next_exchange_and_closed_when_it_idled_too_long(connections) -> None:
    with serving() as server:
        for _ in range(3):
            assert post(connections, server.url).body == b"{}"
        assert server.connections == 1
        time.sleep(0.4)
        post(connections, server.url)
        assert server.connections == 2


def test_head_and_body_of_a_request_leave_as_one(connections) -> None:
    with serving() as server:
        post(connections, f"{server.url}/a b?c=ü", b"body")
    host = f"Host: 127.0.0.1:{server.port}".encode()
    lines = [b"POST /a%20b?c=%C3%BC HTTP/1.1", host, b"X-Test: 1", b"Content-Length: 4", b"", b"body"]
    assert server.requests == [b"\r\n".join(lines)]


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http://", "http://h:port/", "127.0.0.1:80", "http://a..b/"])
def test_what_is_no_address_of_http_is_refused(url: str, connections) -> None:
    assert fault(connections, url) == ("bad request", False)


def test_a_header_that_holds_a_line_break_is_refused(connections) -> None:
    with pytest.raises(HttpError, match="a line break"):
        Exchange(connections, "http://h/", [(b"Key", b"a\r\nb: c")], b"", 5.0)


REPLIES = [
    # The reply, its status and body, and whether the connection is kept after it.
    (DONE, 200, b"{}", True),
    (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nX-Late: 1\r\n\r\n",
        200,
        b"abcd",
        True,
    ),
    (b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, b"", True),
    (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
    (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 200, b"x", False),
    (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, b"x", False),
    (b"HTTP/1.1 429 Slow\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", 429, b"", False),
    (DONE + DONE, 200, b"{}", False),
    (DONE + b"junk", 200, b"{}", False),
]


@pytest.mark.parametrize(("sent", "status", "body", "is_kept"), REPLIES, ids=range(len(REPLIES)))
def test_a_reply_is_read_to_its_end(sent: bytes, status: int, body: bytes, is_kept: bool, connections) -> None:
    with serving(sent) as server:
        for _ in range(2):
            reply = post(connections, server.url)
            assert (reply.status, reply.body) == (status, body)
            assert "x-late" not in reply.headers
            assert "link" not in reply.headers
        assert server.connections == (1 if is_kept else 2)


def then_close(data: bytes) -> Behaviour:
    def behave(client: socket.socket, _: bytes) -> None:
        client.sendall(data)
        client.shutdown(socket.SHUT_RDWR)

    return behave


def test_a_reply_may_end_with_its_connection(connections) -> None:
    with serving(then_close(b"HTTP/1.1 200 OK\r\nX: a\r\nx: b\r\n\r\nabc")) as server:
        reply = post(connections, server.url)
        assert (reply.body, reply.headers) == (b"abc", {"x": "a, b"})


def pour(head: bytes, rest: bytes = b"X: 1\r\n" * 1_000) -> Behaviour:
    def behave(client: socket.socket, _: bytes) -> None:
        client.sendall(head)
        while True:
            client.sendall(rest)

    return behave


FAULTS = [
    (then_close(b""), "lost", True),
    (then_close(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc"), "lost", True),
    (then_close(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"), "lost", True),
    (b"SSH-2.0-OpenSSH\r\n", "lost", True),
    (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "lost", True),
    (lambda client, _: time.sleep(1), "timed out", True),
    (pour(b"HTTP/1.1 200 OK\r\n"), "too long", True),
    (pour(b"HTTP/1.1 200 OK\r\n\r\n"), "too long", True),
]


@pytest.mark.parametrize(("behave", "kind", "may_have_happened"), FAULTS, ids=range(len(FAULTS)))
def test_a_request_without_a_whole_reply_may_have_happened(
    behave: Behaviour | bytes, kind: str, may_have_happened: bool, connections
) -> None:
    with serving(behave) as server:
        assert fault(connections, server.url, deadline_s=0.5) == (kind, may_have_happened)


def sip(client: socket.socket, _: bytes) -> None:
    while client.recv(8_192):
        time.sleep(0.02)


def drip(client: socket.socket, _: bytes) -> None:
    for byte in DONE * 10:
        client.sendall(bytes([byte]))
        time.sleep(0.05)


def promise(client: socket.socket, _: bytes) -> None:
    for _ in range(50):
        client.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("behave", "size", "is_proxied", "outcome"),
    [
        (sip, 20_000_000, False, ("timed out", False)),
        (drip, 10, False, ("timed out", True)),
        (promise, 10, False, ("timed out", True)),
        (drip, 10, True, ("connect timed out", False)),
    ],
)
def test_an_exchange_ends_at_its_deadline_in_whichever_of_its_parts_the_other_end_takes_its_time(
    behave: Behaviour, size: int, is_proxied: bool, outcome: tuple[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(behave, whole=False) as server:
        monkeypatch.setenv("HTTPS_PROXY", server.url if is_proxied else "")
        connections = HttpConnections(idle_s=1, reply_bytes=100)
        began = time.monotonic()
        url = "https://elsewhere.invalid/" if is_proxied else server.url
        assert fault(connections, url, b"x" * size, deadline_s=0.4) == outcome
        assert 0.3 < time.monotonic() - began < 3


def test_a_reply_that_never_pauses_ends_soon_after_its_deadline() -> None:
    connections = HttpConnections(idle_s=1, reply_bytes=2**40)
    with serving(pour(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 9_999)) as server:
        began = time.monotonic()
        assert fault(connections, server.url, deadline_s=0.4) == ("timed out", True)
        assert time.monotonic() - began < 3


def test_a_host_whose_address_is_long_in_coming_is_not_waited_for(connections, monkeypatch) -> None:
    look_up = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda *where, **how: (time.sleep(1.0), look_up(*where, **how))[1])
    with serving() as server:
        began = time.monotonic()
        assert fault(connections, server.url, deadline_s=0.2) == ("connect timed out", False)
        assert time.monotonic() - began < 0.9
        time.sleep(1.0)
        assert server.requests == []


def test_a_deadline_is_that_of_one_exchange(connections) -> None:
    slow = [True]

    def behave(client: socket.socket, _: bytes) -> None:
        if slow.pop() if slow else False:
            time.sleep(0.6)
        client.sendall(DONE)

    with serving(behave) as server:
        assert fault(connections, server.url, deadline_s=0.4) == ("timed out", True)
        assert post(connections, server.url, deadline_s=5.0).body == b"{}"


def test_a_reply_that_arrived_in_time_is_read_although_its_thread_was_busy(connections) -> None:
    with serving() as server:
        post(connections, server.url)
        begun = begin(connections, server.url, deadline_s=0.2)
        time.sleep(0.4)
        assert begun.finish().body == b"{}"


def test_the_refusal_of_a_request_that_was_not_taken_whole_is_read(connections) -> None:
    def refuse(client: socket.socket, _: bytes) -> None:
        client.sendall(b"HTTP/1.1 413 Too Long\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        client.shutdown(socket.SHUT_WR)
        while client.recv(65_536):
            pass

    with serving(refuse, whole=False) as server:
        assert post(connections, server.url, b"x" * 1_000_000).status == 413


def test_a_request_that_was_not_sent_whole_has_not_happened(connections) -> None:
    with serving(lambda client, _: client.close(), whole=False) as server:
        assert fault(connections, server.url, b"x" * 50_000_000) == ("lost", False)


def test_where_nobody_listens_nothing_happened(connections) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert fault(connections, f"http://127.0.0.1:{port}") == ("not connected", False)
    assert fault(connections, "http://no-such-host.invalid") == ("not connected", False)


def test_a_kept_connection_that_the_server_closed_meanwhile_is_not_used(connections) -> None:
    with serving(then_close(DONE)) as server:
        for _ in range(3):
            assert post(connections, server.url).body == b"{}"
            time.sleep(0.05)
        assert (server.connections, len(server.requests)) == (3, 3)


@pytest.mark.parametrize("is_repeatable", [True, False])
def test_a_kept_connection_that_ends_without_a_reply_is_replaced_where_a_second_request_does_no_harm(
    is_repeatable: bool, connections
) -> None:
    def behave(client: socket.socket, request: bytes) -> None:
        client.sendall(DONE)
        client.recv(65_536)
        client.shutdown(socket.SHUT_RDWR)

    with serving(behave) as server:
        post(connections, server.url)
        if is_repeatable:
            assert post(connections, server.url, is_repeatable=True).body == b"{}"
            assert server.connections == 2
        else:
            assert fault(connections, server.url) == ("lost", True)
            assert server.connections == 1
        # On a new connection nothing is repeated: the server took it.
        with serving(then_close(b"")) as refusing:
            assert fault(connections, refusing.url, is_repeatable=is_repeatable) == ("lost", True)
            assert len(refusing.requests) == 1


def test_what_keeps_a_request_back_is_asked_when_the_connection_stands_and_nothing_is_sent(connections) -> None:
    class Back(Exception):
        pass

    class Gate:
        is_closed = True

        def __enter__(self) -> None:
            assert server.requests == []
            if self.is_closed:
                raise Back

        def __exit__(self, *_: object) -> None:
            pass

    with serving() as server:
        gate = Gate()
        with pytest.raises(Back):
            post(connections, server.url, sending=gate)
        assert server.requests == []
        gate.is_closed = False
        assert post(connections, server.url, b"x" * 100_000, sending=gate).body == b"{}"


def test_one_thread_begins_many_exchanges_and_finishes_them_together(connections) -> None:
    def behave(client: socket.socket, request: bytes) -> None:
        time.sleep(0.05)
        body = request.partition(b"\r\n\r\n")[2]
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    times = []
    with serving(behave) as server:
        for _ in range(3):  # over new connections, then over kept ones
            began = time.monotonic()
            begun = [begin(connections, server.url, b"%d" % number) for number in range(24)]
            assert [exchange.finish().body for exchange in begun] == [b"%d" % number for number in range(24)]
            times.append(time.monotonic() - began)
        assert server.connections <= 24
    assert min(times) < 0.45


def test_many_threads_share_the_connections_and_each_gets_its_own_reply() -> None:
    def behave(client: socket.socket, request: bytes) -> None:
        body = request.partition(b"\r\n\r\n")[2]
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    connections, right = HttpConnections(idle_s=0.001, reply_bytes=100), []
    with serving(behave) as server:

        def work(number: int) -> None:
            bodies = [b"%d/%d" % (number, each) for each in range(50)]
            right.append(all(post(connections, server.url, body).body == body for body in bodies))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert right == [True] * 8
    connections.close()


def test_connections_that_were_closed_keep_none(connections) -> None:
    with serving() as server:
        post(connections, server.url)
        connections.close()
        for _ in range(2):
            post(connections, server.url)
        assert server.connections == 3


PROXIES = [
    ({"HTTP_PROXY": "{proxy}"}, True),
    ({"ALL_PROXY": "{proxy}"}, True),
    ({"http_proxy": "{bare}"}, True),
    ({"HTTPS_PROXY": "{proxy}"}, False),
    ({"HTTP_PROXY": "{proxy}", "NO_PROXY": "127.0.0.1"}, False),
    ({"HTTP_PROXY": "{proxy}", "NO_PROXY": "*"}, False),
    ({"HTTP_PROXY": "{proxy}", "NO_PROXY": "elsewhere.invalid"}, True),
    ({}, False),
]


@pytest.mark.parametrize(("variables", "goes_through"), PROXIES)
def test_the_environment_names_the_proxy(
    variables: dict[str, str], goes_through: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with serving() as proxy, serving() as server:
        for name, value in variables.items():
            address = f"u:%40@127.0.0.1:{proxy.port}"
            monkeypatch.setenv(name, value.format(proxy=f"http://{address}", bare=address))
        connections = HttpConnections(idle_s=1, reply_bytes=100)
        for _ in range(2):
            assert post(connections, server.url + "/a").body == b"{}"
        assert (len(proxy.requests), len(server.requests)) == ((2, 0) if goes_through else (0, 2))
        assert proxy.connections + server.connections == 1
        if goes_through:
            assert proxy.requests[0].startswith(f"POST {server.url}/a HTTP/1.1".encode())
            assert b"\r\nProxy-Authorization: Basic dTpA\r\n" in proxy.requests[0]
        connections.close()


@pytest.mark.parametrize("address", ["h:secret", "gopher://h:1", "http://", "socks5://h:1", "https://h:1"])
def test_a_proxy_that_cannot_be_used_is_told_without_its_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", address)
    with pytest.raises(ValueError, match="HTTPS_PROXY or ALL_PROXY names cannot be used") as caught:
        HttpConnections(idle_s=1, reply_bytes=100)
    assert "secret" not in str(caught.value)


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """What a server for 127.0.0.1 shows, whose certificate this process trusts."""
    key, certificate = tmp_path / "own.pem", tmp_path / "own.crt"
    made = subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "1", "-keyout", key, "-out", certificate, "-subj", "/CN=here"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
        ],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("no certificate can be made here")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@pytest.mark.parametrize("is_proxied", [False, True])
def test_a_server_whose_certificate_is_trusted_is_reached_also_through_a_proxy(
    is_proxied: bool, trusted: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tunnel(client: socket.socket, request: bytes) -> None:
        asked.append(request)
        client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        with socket.create_connection(("127.0.0.1", server.port)) as beyond:
            back = threading.Thread(target=pump, args=(beyond, client), daemon=True)
            back.start()
            pump(client, beyond)

    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)

    asked: list[bytes] = []
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + b"x" * 300_000
    with serving(long, trusted) as server, serving(tunnel) as proxy:
        if is_proxied:
            monkeypatch.setenv("HTTPS_PROXY", f"http://user:word@127.0.0.1:{proxy.port}")
        connections = HttpConnections(idle_s=1, reply_bytes=2**20)
        begun = [begin(connections, server.url, b"y" * 200_000) for _ in range(3)]
        assert {len(each.finish().body) for each in begun} == {300_000}
        assert len(post(connections, server.url).body) == 300_000
        assert (server.connections, len(asked)) == (3, 3 * is_proxied)
        assert all(b"Proxy-Authorization: Basic dXNlcjp3b3Jk\r\n" in request for request in asked)
        connections.close()
