"""What a step prints and sends to the parent: its messages, its text in order, and `console`."""

from __future__ import annotations

from collections.abc import Callable
from io import TextIOBase
from typing import Any, Final

from controlplane.sandbox.child.script_builtins import with_stable_addresses
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.frames import FrameReader, json_text, send_body
from controlplane.sandbox.interface.host import Limits
from controlplane.sandbox.interface.operations import Plain

FLUSH_CHARS: Final = 16_000
"""Printed text that is sent at once, without waiting for the next message."""


class Channel:
    """The child's end of the connection in one step: printed text travels with the messages.

    Of long output the first half of the allowance and the end are kept.
    """

    def __init__(self, reader: FrameReader, limits: Limits) -> None:
        self._reader = reader
        self._frame_bytes = limits.frame_bytes
        self._is_sending = False
        self._when_sent: Callable[[], None] | None = None

        self._half_chars = limits.output_chars // 2
        self._head: list[str] = []
        """Text of the first half that is not sent yet."""
        self._head_chars = 0
        self._remaining_head_chars = self._half_chars
        self._tail: list[str] = []
        """Text after the first half, of which the end is kept."""
        self._tail_chars = 0
        self._dropped_chars = 0

    def print(self, text: str) -> None:
        """Keep a text for the parent."""
        text = with_stable_addresses(text)
        if self._remaining_head_chars > 0:
            head = text[: self._remaining_head_chars]
            text = text[self._remaining_head_chars :]
            self._head.append(head)
            self._head_chars += len(head)
            self._remaining_head_chars -= len(head)

        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            # Now and then, since it takes time for the whole tail.
            if self._tail_chars > 4 * self._half_chars + FLUSH_CHARS:
                self._shorten_tail()

        if self._head_chars >= FLUSH_CHARS:
            self.send(["out", None])

    def end_of_output(self) -> str:
        """Return the text printed after the first half, with a line that says how much is cut."""
        self._shorten_tail()
        end = self._tail[0]
        if self._dropped_chars:
            return f"\n... {self._dropped_chars} characters cut out here ...\n{end}"
        return end

    def _shorten_tail(self) -> None:
        """Drop what is printed before the last half of the allowance."""
        text = "".join(self._tail)
        end = text[-self._half_chars :] if self._half_chars else ""
        self._dropped_chars += len(text) - len(end)
        self._tail = [end]
        self._tail_chars = len(end)

    def send(self, message: list[Plain]) -> None:
        """Send one message; its second part becomes the text printed since the last message."""
        message[1] = "".join(self._head)
        self._is_sending = True
        try:
            body = with_stable_addresses(json_text(message)).encode("utf-8", "replace")
            send_body(self._reader.connection, body, self._frame_bytes)
            self._head = []
            self._head_chars = 0
        finally:
            self._is_sending = False
        if self._when_sent is not None:
            self._when_sent()

    def postpone(self, action: Callable[[], None]) -> bool:
        """If a message is half sent, have `action` called after it, and return True."""
        if not self._is_sending:
            self._when_sent = None
            return False
        self._when_sent = action
        return True

    def receive(self) -> list[Any]:
        """Return the parent's next message."""
        return self._reader.receive(bounds.MOST_FROM_PARENT)


class Console(TextIOBase):
    """Output in order, which is a step's `sys.stdout` and `sys.stderr`; `log` and its kin print."""

    encoding = "utf-8"

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, text: str) -> int:
        """Print a text as it is."""
        if not isinstance(text, str):
            msg = f"write() argument must be str, not {type(text).__name__}"
            raise TypeError(msg)
        self._write(str.__str__(text))
        return len(text)

    def reconfigure(self, **options: Any) -> None:
        """Do nothing: the output is text, without an encoding to choose."""

    log = staticmethod(print)
    info = staticmethod(print)
    warn = staticmethod(print)
    warning = staticmethod(print)
    error = staticmethod(print)
    debug = staticmethod(print)
