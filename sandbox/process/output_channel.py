"""The child's end of the socket: printed text travels with the messages, in order; long output loses its middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sandbox.interface.limits import Limits
from sandbox.interface.operations import Plain
from sandbox.process.frames import FrameReader, frame_limit, json_text, read_body, send_body

if TYPE_CHECKING:
    from socket import socket

FLUSH_CHARS: Final = 16_000
MOST_FROM_PARENT: Final = 1 << 30


class Output:
    """What a step prints: the first half of the allowance in full, of the rest the end."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head: list[str] = []
        self._room = self._half
        self._pending = 0
        self._tail: list[str] = []
        self._tail_chars = 0
        self._dropped = 0

    def add(self, text: str) -> bool:
        """Take in a text; say whether it is time to send what is pending."""
        if self._room > 0:
            head, text = text[: self._room], text[self._room :]
            self._head.append(head)
            self._room -= len(head)
            self._pending += len(head)
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            if self._tail_chars > 4 * self._half + FLUSH_CHARS:
                self._shorten()
        return self._pending >= FLUSH_CHARS

    def take(self) -> str:
        """Return what of the first half was not taken before."""
        head = "".join(self._head)
        self._head, self._pending = [], 0
        return head

    def put_back(self, head: str) -> None:
        """Take in again what was taken and could not be sent."""
        self._head.insert(0, head)
        self._pending += len(head)

    def take_end(self) -> str:
        """Return the end of the output, after a line that says how much was cut out before it."""
        self._shorten()
        tail = "".join(self._tail)
        return f"\n... {self._dropped} characters cut out here ...\n{tail}" if self._dropped else tail

    def _shorten(self) -> None:
        text = "".join(self._tail)
        kept = text[-self._half :] if self._half else ""
        self._dropped += len(text) - len(kept)
        self._tail, self._tail_chars = [kept], len(kept)


class Channel:
    """Sends messages with what was printed so far, and receives answers."""

    def __init__(self, connection: socket, limits: Limits) -> None:
        self._connection = connection
        self._reader = FrameReader(connection)
        self._limits = limits
        self._limit = frame_limit(limits)
        self._is_sending = False
        self._expired: Callable[[], None] | None = None
        self.begin()

    def begin(self) -> None:
        """Start a step with nothing printed."""
        self.output = Output(self._limits.output_chars)

    def print(self, text: str) -> None:
        """Keep a text for the parent."""
        if self.output.add(text):
            self.send(["out", None])

    def send(self, message: list[Plain]) -> None:
        """Send one message; its second part becomes what was printed since the one before."""
        message[1] = printed = self.output.take()
        self._is_sending = True
        try:
            send_body(self._connection, json_text(message).encode("utf-8", "replace"), self._limit)
        except (ValueError, TypeError):
            self.output.put_back(printed)
            raise
        finally:
            self._is_sending = False
        if self._expired is not None:
            self._expired()

    def when_sent(self, expired: Callable[[], None]) -> bool:
        """Return False if no message is half sent; else have `expired` called once it is."""
        self._expired = expired if self._is_sending else None
        return self._is_sending

    def receive(self) -> list[Any]:
        """Return the parent's next message."""
        return read_body(self._reader.receive_body(MOST_FROM_PARENT))
