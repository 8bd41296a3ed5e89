"""The output of a step: `Channel` sends its messages, `Console` is its `sys.stdout` and `console`.

Printed text is not sent by itself: it travels with the next message. Of long output the beginning
and the end are kept, and the middle is cut out.
"""

from __future__ import annotations

from collections.abc import Callable
from io import TextIOBase
from typing import Any, Final

from controlplane.sandbox.child.language.script_builtins import with_stable_addresses
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.child_messages import ChildBody, ChildMessage
from controlplane.sandbox.interface.frames import FrameReader, send_body
from controlplane.sandbox.interface.host import Limits
from controlplane.sandbox.interface.json_documents import json_text
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.parent_messages import ParentMessage, decode_parent_message

FLUSH_CHARS: Final = 16_000
"""So much printed text is sent at once, without waiting for the next message."""


class Channel:
    """The child's end of the connection, during one step.

    The first half of the permitted output is sent as it comes. Of all later text the last
    characters, as many as the other half permits, are sent with the report of the step's end.
    """

    def __init__(self, reader: FrameReader, limits: Limits) -> None:
        self._reader = reader
        self._frame_bytes = limits.frame_bytes
        self._is_sending = False
        self._when_sent: Callable[[], None] | None = None

        self._half_chars = limits.output_chars // 2
        self._head: list[str] = []
        """Printed text of the first half that was not sent yet."""
        self._head_chars = 0
        self._remaining_head_chars = self._half_chars
        self._tail: list[str] = []
        """Printed text after the first half."""
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
            # Not at every call: shortening copies the whole tail.
            if self._tail_chars > 4 * self._half_chars + FLUSH_CHARS:
                self._shorten_tail()

        if self._head_chars >= FLUSH_CHARS:
            self.send()

    def end_of_output(self) -> str:
        """Return the text printed after the first half, with a line that says how much is cut."""
        self._shorten_tail()
        end = self._tail[0]
        if self._dropped_chars:
            return f"\n... {self._dropped_chars} characters cut out here ...\n{end}"
        return end

    def _shorten_tail(self) -> None:
        """Drop all of the tail but its last characters."""
        text = "".join(self._tail)
        end = text[-self._half_chars :] if self._half_chars else ""
        self._dropped_chars += len(text) - len(end)
        self._tail = [end]
        self._tail_chars = len(end)

    def send(
        self, body: ChildBody | None = None, scratchpad: Plain = None, request_number: int = 0
    ) -> None:
        """Send one message, with the text printed since the last message."""
        self._is_sending = True
        try:
            printed = "".join(self._head)
            message = ChildMessage(body, printed, scratchpad, request_number)
            text = with_stable_addresses(json_text(message.encode()))
            body_bytes = text.encode("utf-8", "replace")
            send_body(self._reader.connection, body_bytes, self._frame_bytes)
            self._head = []
            self._head_chars = 0
        finally:
            self._is_sending = False
        if self._when_sent is not None:
            self._when_sent()

    def postpone(self, action: Callable[[], None]) -> bool:
        """If a message is half sent, call `action` once it is sent, and return True."""
        if not self._is_sending:
            self._when_sent = None
            return False
        self._when_sent = action
        return True

    def receive(self) -> ParentMessage:
        """Return the parent's next message."""
        message = self._reader.receive(bounds.MOST_FROM_PARENT)
        return decode_parent_message(MessageFields(message))


class Console(TextIOBase):
    """A step's `sys.stdout` and `sys.stderr`, and the `console` of JavaScript, whose `log`
    prints."""

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
