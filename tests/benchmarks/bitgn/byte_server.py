"""A server that does to a connection whatever a test says, byte by byte."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from benchmarks.bitgn.client.platform_client import Call, CallPolicy, PlatformClient, Service, WireError

Behaviour = Callable[[socket.socket, bytes], None]


def reply(body: bytes, *, status: str = "200 OK", kind: str = "application/json", headers: str = "") -> Behaviour:
    """Send one whole reply."""

    def behave(client: socket.socket, _: bytes) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        client.sendall(head.encode() + body)

    return behave


@contextmanager
def stub(behave: Behaviour) -> Iterator[tuple[str, list[bytes]]]:
    """Listen for as long as the block lasts; yield the base URL and the requests that came in."""
    requests: list[bytes] = []
    done = threading.Event()

    def serve(client: socket.socket) -> None:
        with client:
            client.settimeout(10)
            try:
                while not done.is_set() and (request := _request(client)):
                    requests.append(request)
                    behave(client, request)
            except OSError:
                pass

    def listen(listener: socket.socket) -> None:
        while not done.is_set():
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=listen, args=(listener,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", requests
        finally:
            done.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _request(client: socket.socket) -> bytes:
    """Return one request, head and body; empty where the client has gone."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
    while len(body) < length:
        body += client.recv(65536)
    return head + b"\r\n\r\n" + body


SECRET = "canary-key-77aa"


def to_call(url, client, message=None, *, look=None, **policy) -> Call:
    """Return one call; what the policy does not say is that nothing is made again."""
    settled = CallPolicy(**({"deadline_s": 5.0, "retry_s": 0.0} | policy))
    return Call(client, Service(url, "a.Service"), "Do", message or {}, settled, lambda reply: reply, look)


def make(url, client, message=None, **more):
    return to_call(url, client, message, **more).finish()


def call(url, message=None, *, secrets=(SECRET,), **policy):
    client = PlatformClient(2, secrets=secrets)
    try:
        return make(url, client, message, **policy)
    finally:
        client.close()


def failure(behave, *, message=None, **policy) -> WireError:
    with stub(behave) as (url, _), pytest.raises(WireError) as raised:
        call(url, message, **policy)
    return raised.value
