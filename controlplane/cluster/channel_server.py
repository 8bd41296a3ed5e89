"""The writer's end of the channel: takes connections of workers that know the run's token, and their reports."""

from __future__ import annotations

import contextlib
import hmac
import itertools
import logging
import secrets
import socket
import ssl
import threading
from collections.abc import Mapping
from typing import Final, Protocol

from controlplane.cluster.framed_connection import FIRST_BYTES, FramedConnection
from controlplane.cluster.shipped_data import Answer, Hello, Report, Welcome
from controlplane.errors import Unreachable

GREETING_S: Final = 10.0
"""Seconds that a connection has to show the token."""
MOST_STRANGERS: Final = 200
"""Connections at a time that have not shown it."""
_log: Final = logging.getLogger(__name__)


class Desk(Protocol):
    """Takes what workers report. Called from one thread for each worker."""

    def take(self, worker: int, report: Report) -> Answer:
        """Take a report that came by the connection of this number and return the answer. Raises `ValueError` for a
        wrong one."""
        ...

    def lost(self, worker: int, place: str) -> None:
        """Note that the connection of this number, which is of the worker at `place`, has ended."""
        ...


class ChannelServer:
    """Listens for the workers of one run."""

    def __init__(
        self, host: str, port: int, *, context: ssl.SSLContext | None, keys: Mapping[str, str], desk: Desk
    ) -> None:
        """Listen at `host`; port 0 takes a free one. Raises `Unreachable` if that address cannot be listened at."""
        self.token: Final = secrets.token_hex(32)
        self._context, self._keys, self._desk = context, dict(keys), desk
        self._numbers = itertools.count(1)
        self._strangers = threading.BoundedSemaphore(MOST_STRANGERS)
        self._open: dict[int, FramedConnection] = {}
        self._changed = threading.Condition()
        try:
            self._listener = socket.create_server((host, port), backlog=512)
        except OSError as error:
            msg = f"no worker can reach this process at {host}:{port} ({error.strerror or error}); see --channel"
            raise Unreachable(msg) from error
        self.port: Final = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, name="channel", daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if self._strangers.acquire(blocking=False):
                threading.Thread(target=self._greet, args=(connection,), name="worker", daemon=True).start()
            else:
                connection.close()

    def _greet(self, plain: socket.socket) -> None:
        try:
            plain.settimeout(GREETING_S)
            wrapped = self._context.wrap_socket(plain, server_side=True) if self._context else plain
            connection = FramedConnection(wrapped, silence_s=GREETING_S)
            hello = connection.receive(Hello, most_bytes=FIRST_BYTES)
            is_known = hmac.compare_digest(hello.token.encode(), self.token.encode())
            connection.send(
                Welcome(keys=self._keys) if is_known else Welcome(refusal="its token is not that of the run")
            )
            if not is_known:
                connection.close()
        except OSError as error:
            _log.debug("a connection showed no token: %s", error)
            plain.close()
            return
        finally:
            self._strangers.release()
        if is_known:
            connection.allow_silence()
            self._serve(connection, hello.place)

    def _serve(self, connection: FramedConnection, place: str) -> None:
        number = next(self._numbers)
        with self._changed:
            self._open[number] = connection
        try:
            while True:
                connection.send(self._desk.take(number, connection.receive(Report)))
        except (OSError, ValueError) as error:
            _log.debug("worker %s is gone: %s", number, error)
        finally:
            connection.close()
            with self._changed:
                del self._open[number]
                self._changed.notify_all()
            self._desk.lost(number, place)

    def close(self, *, wait_s: float = 3.0) -> None:
        """Stop listening, wait for the workers to leave, and close what is left of their connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._changed:
            self._changed.wait_for(lambda: not self._open, timeout=wait_s)
            left = list(self._open.values())
        for each in left:
            each.close()
