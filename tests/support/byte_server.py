"""A server on this machine that does to a connection whatever a test says, byte by byte.

def behave(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly a part")
    connection.close()

with ByteServer(behave) as server:
    ...  # a client talks to server.url, and gets a reply that breaks off
"""

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Self

from tests.support.http_requests import read_request

Behaviour = Callable[[socket.socket, bytes], None]
"""Answers one request: takes the connection, and the request with head and body."""


def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class ByteServer:
    """Answers every request by `behave`, which a test may replace at any time."""

    def __init__(self, behave: Behaviour, host: str = "127.0.0.1") -> None:
        self.behave = behave
        self.host = host
        self.port = 0
        self.requests: list[bytes] = []
        """All requests so far, each with head and body."""
        self.ended = threading.Event()
        """Set when the server's block is over: what a hanging answer waits for."""

    @property
    def url(self) -> str:
        """Return the server's address, such as `http://127.0.0.1:41235`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.close()

    def open(self) -> None:
        """Listen: on any free port, or after a `close` on the same port as before."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self._listener = socket.create_server((self.host, self.port), family=family)
        self.port = self._listener.getsockname()[1]
        self._start_thread(self._listen, self._listener)

    def close(self) -> None:
        """Stop listening, as a server that has crashed: new connections are refused."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _listen(self, listener: socket.socket) -> None:
        """Serve each connection in a thread of its own, until the listener is closed."""
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self._start_thread(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        """Answer the requests of one connection until it or the server ends."""
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            while not self.ended.is_set():
                request = read_request(connection)
                if not request:
                    return
                self.requests.append(request)
                self.behave(connection, request)

    @staticmethod
    def _start_thread(
        work: Callable[[socket.socket], None], argument: socket.socket
    ) -> None:
        threading.Thread(target=work, args=(argument,), daemon=True).start()
