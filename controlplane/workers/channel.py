"""The messages between a run and a worker process, and the connection that carries them.

A message is its length and a line of JSON; a report's events follow, one line each, as the journal will hold them.
Received data is never unpickled.
"""

from __future__ import annotations

import contextlib
import errno
import json
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SkipValidation
from pydantic_core import PydanticSerializationError, from_json, to_json

from agent.loop import ResumeState
from agent.model import ModelError, RetriesExhausted
from controlplane.benchmark import TrialHead
from controlplane.errors import Unreachable, UsageError

SILENCE_S: Final = 60.0
"""Seconds without a message after which a peer that may be on another machine counts as lost."""
MOST_BYTES: Final = 512 * 1024 * 1024
_LENGTH: Final = struct.Struct(">I")


class Message(BaseModel):
    """Data that processes exchange: immutable, with only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Assignment(Message):
    """One attempt at a trial, handed to a worker."""

    attempt: str
    """The attempt's name, which its events carry."""
    head: TrialHead
    resume_state: ResumeState


class Orders(Message):
    """Orders of a run to a worker; a field at its default changes nothing."""

    trials: tuple[Assignment, ...] = ()
    stop: bool | None = None
    """Leave running trials open after their step (true), or let them run to their end after all (false)."""
    is_over: bool = False
    """End once no trial is running."""
    written: int = 0
    """The number of the last report whose events are all in the journal."""
    retries_granted: int = 0
    pause_s: float = 0.0
    """Seconds for which no trial may call the model."""
    used_up: str = ""
    """Why the run may not spend any more; empty while it may."""
    keys: dict[str, str] = Field(default_factory=dict, repr=False)
    """Environment variables with keys, if the user has them sent."""


class Failure(Message):
    """An error that ends the whole run, or every further trial."""

    kind: str
    """The name of the error's class."""
    text: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        return cls(kind=type(error).__name__, text=str(error))

    def error(self) -> Exception:
        """Return the error that this describes; an unknown kind becomes `Unreachable`."""
        match self.kind:
            case "ModelError":
                return ModelError(self.text, retryable=True, affects_all=True)
            case "RetriesExhausted":
                return RetriesExhausted(self.text, retryable=True, affects_all=True)
            case "UsageError":
                return UsageError(self.text)
            case _:
                return Unreachable(self.text)


ToldEvent: TypeAlias = tuple[str, dict[str, str], Any]
"""An event's data besides its line: its attempt's name (empty outside of trials), the texts that the line refers to by
key, and the part that the run's summary needs (None for no part)."""


class Report(Message):
    """Events at a worker since its last report. The first report says that the worker is ready."""

    number: int
    """Grows with every posted event or field."""
    events: Annotated[list[ToldEvent], SkipValidation] = Field(default_factory=list)
    wants_answer: bool = False
    """A trial waits for a retry, or for its events to be written."""
    over: tuple[tuple[str, Failure | None], ...] = ()
    """Attempts that are over, all their events reported, each with the failure that ends the whole run, if any."""
    retries_asked: int = 0
    pause_s: float = 0.0
    """Seconds for which the model's endpoint asked everybody to wait."""
    failure: Failure | None = None
    """Every further trial would fail the same way."""


Kind = TypeVar("Kind", bound=Message)


class Connection:
    """A socket that carries messages. Several threads may send; one receives. Every failure is an `OSError`."""

    def __init__(self, connection: socket.socket, *, silence_s: float | None) -> None:
        """`silence_s` bounds each wait for the peer; None waits as long as the peer lives."""
        self.silence_s: Final = silence_s
        self._socket = connection
        self._is_encrypted = isinstance(connection, ssl.SSLSocket)
        self._socket.settimeout(0 if self._is_encrypted else silence_s)
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sends = threading.Lock()
        self._turn = threading.Lock()

    def send(self, message: Message, lines: Sequence[bytes] = ()) -> None:
        data = b"\n".join((to_line(message), *lines))
        left = memoryview(_LENGTH.pack(len(data)) + data)
        with self._sends:
            while left:
                left = left[self._moved(self._socket.send, left) :]

    def receive(self, kind: type[Kind]) -> tuple[Kind, list[bytes]]:
        """Return the next message and its lines. Raises `OSError`, also for anything else."""
        (length,) = _LENGTH.unpack(self.exactly(_LENGTH.size))
        if length > MOST_BYTES:
            msg = f"a message of {length:,} bytes, where {MOST_BYTES:,} is the most"
            raise OSError(msg)
        head, *lines = self.exactly(length).split(b"\n")
        try:
            return kind.model_validate(parsed(head)), lines
        except (ValueError, RecursionError) as error:
            msg = f"the message is not a {kind.__name__}: {str(error)[:200]}"
            raise OSError(msg) from error

    def exactly(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        data = bytearray(count)
        view = memoryview(data)
        while view:
            got = self._moved(self._socket.recv_into, view)
            if not got:
                msg = "the connection was closed"
                raise ConnectionResetError(msg)
            view = view[got:]
        return bytes(data)

    def _moved(self, move: Callable[[memoryview], int], data: memoryview) -> int:
        """Send from `data` or receive into it, once; return the number of bytes.

        OpenSSL lets one thread at a time use a connection: with TLS, sending and receiving take turns and wait outside.
        """
        if not self._is_encrypted:
            return move(data)
        ends_at = None if self.silence_s is None else time.monotonic() + self.silence_s
        try:
            while True:
                try:
                    with self._turn:
                        return move(data)
                except ssl.SSLWantReadError:
                    awaited = select.POLLIN
                except ssl.SSLWantWriteError:
                    awaited = select.POLLOUT
                poll = select.poll()
                poll.register(self._socket, awaited)
                if not poll.poll(None if ends_at is None else max(0.0, ends_at - time.monotonic()) * 1000):
                    msg = "the peer was silent for too long"
                    raise TimeoutError(msg)
        except ValueError as error:  # Another thread closed it meanwhile.
            raise OSError(errno.EBADF, "the connection was closed") from error

    def close(self) -> None:
        end(self._socket)


def end(connection: socket.socket) -> None:
    """Close a socket, and wake the threads that wait for it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def to_line(message: Message) -> bytes:
    """Return a message as one line of ASCII JSON, which can hold the lone surrogates that scripts may print."""
    try:
        return to_json(message, ensure_ascii=True)
    except PydanticSerializationError:
        return json.dumps(message.model_dump(mode="json")).encode()


def parsed(line: bytes | str) -> Any:
    """Return the value of a line of JSON. Raises `ValueError`."""
    try:
        return from_json(line)
    except ValueError:  # The parser rejects lone surrogates.
        return json.loads(line)
