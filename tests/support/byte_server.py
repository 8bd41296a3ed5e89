"""A server on this machine that does to a connection whatever a test says, byte by byte."""

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Self

Behaviour = Callable[[socket.socket, bytes], None]
"""Answers one request, which is given with head and body."""


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class ByteServer:
    """Answers every request by `behave`, which may be exchanged at any time.

    `requests` holds all that came.
    """

    def __init__(self, behave: Behaviour, host: str = "127.0.0.1") -> None:
        self.behave = behave
        self.host = host
        self.port = 0
        self.requests: list[bytes] = []
        self.ended = threading.Event()
        """Set when the server's block is over: what a hanging answer waits for."""

    @property
    def url(self) -> str:
        return (
            f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"
        )

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.close()

    def open(self) -> None:
        """Listen, on the same port as before where there was one."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self._listener = socket.create_server((self.host, self.port), family=family)
        self.port = self._listener.getsockname()[1]
        threading.Thread(
            target=self._listen, args=(self._listener,), daemon=True
        ).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _listen(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(
                    target=self._serve, args=(listener.accept()[0],), daemon=True
                ).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.settimeout(10)
            while not self.ended.is_set() and (request := _request(client)):
                self.requests.append(request)
                self.behave(client, request)


def _request(client: socket.socket) -> bytes:
    """Return one request, head and body; what is no HTTP
    as it is, and nothing where the client has gone."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        data += more
        if not more or not data[:1].isalpha():
            return data if more else b""
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(
        head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0
    )
    while len(body) < length:
        body += client.recv(65536)
    return head + b"\r\n\r\n" + body
