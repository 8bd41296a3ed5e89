"""The output of a step and the messages that bring it to the parent.

Printed text is not sent by itself: it travels with the next message.
`Console` is the `sys.stdout` of a script, `OutputBuffer` keeps what is printed,
and `Channel` sends the messages.
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
from controlplane.sandbox.interface.parent_messages import (
    ParentMessage,
    decode_parent_message,
)

FLUSH_CHARS: Final = 16_000
"""As soon as this much printed text waits, it is sent in a message of its own."""


class OutputBuffer:
    """The printed text of a step, up to a limit.

    The first half of the permitted text is sent to the parent while the step runs. Of
    all text after that, only the last characters are kept, as many as the other half
    permits. They are sent with the end of the step, so that the parent sees the
    beginning and the end of a long output.
    """

    def __init__(self, max_chars: int) -> None:
        self._max_chars_per_half = max_chars // 2

        self._waiting_parts: list[str] = []
        """Text of the first half that was not sent yet."""
        self.waiting_chars = 0
        """The length of that text."""
        self._first_half_room = self._max_chars_per_half
        """Characters that can still be added to the first half."""

        self._later_parts: list[str] = []
        """Text after the first half, whose beginning may have been dropped."""
        self._later_chars = 0
        self._dropped_chars = 0

    def add(self, text: str) -> None:
        """Add printed text."""
        # 1. What belongs to the first half.
        if self._first_half_room > 0:
            beginning = text[: self._first_half_room]
            text = text[self._first_half_room :]
            self._waiting_parts.append(beginning)
            self.waiting_chars += len(beginning)
            self._first_half_room -= len(beginning)

        # 2. All later text. Shortening copies all of it, so it is not done at every call, but only
        #    when there is far more text than is kept.
        if text:
            self._later_parts.append(text)
            self._later_chars += len(text)
            if self._later_chars > 4 * self._max_chars_per_half + FLUSH_CHARS:
                self._shorten_later_text()

    def waiting_text(self) -> str:
        """Return the text to send with the next message."""
        return "".join(self._waiting_parts)

    def mark_sent(self) -> None:
        """Forget the text that `waiting_text` returned, because it was sent."""
        self._waiting_parts = []
        self.waiting_chars = 0

    def end(self) -> str:
        """Return the last text of the step, after a line that says how much was dropped."""
        end = self._shorten_later_text()
        if self._dropped_chars:
            return f"\n... {self._dropped_chars} characters cut out here ...\n{end}"
        return end

    def _shorten_later_text(self) -> str:
        """Drop all later text except its last characters, and return these."""
        text = "".join(self._later_parts)
        end = ""
        if self._max_chars_per_half > 0:
            end = text[-self._max_chars_per_half :]
        self._dropped_chars += len(text) - len(end)
        self._later_parts = [end]
        self._later_chars = len(end)
        return end


class Channel:
    """The child's end of the connection to the parent, during one step."""

    def __init__(self, reader: FrameReader, limits: Limits) -> None:
        self._reader = reader
        self._max_message_bytes = limits.frame_bytes
        self._output = OutputBuffer(limits.output_chars)
        self._is_sending = False
        """True in the middle of `send`, which a signal may interrupt."""
        self._postponed: Callable[[], None] | None = None
        """The action to call when the present message is sent (`postpone_while_sending`)."""

    def print(self, text: str) -> None:
        """Keep printed text for the next message. Much text is sent at once."""
        # Replace the addresses of objects (`<Point object at 0x7f...>`) before the text is
        # divided into messages, which could divide an address.
        self._output.add(with_stable_addresses(text))
        if self._output.waiting_chars >= FLUSH_CHARS:
            self.send()

    def end_of_output(self) -> str:
        """Return the end of the printed text, whose beginning came with the messages."""
        return self._output.end()

    def send(
        self,
        body: ChildBody | None = None,
        scratchpad: Plain = None,
        request_number: int = 0,
    ) -> None:
        """Send one message, with the text printed since the last message.

        `request_number` counts the requests of a step, so that the parent recognizes a
        repeated one. It is 0 for a message that is not a request.
        """
        self._is_sending = True
        try:
            printed = self._output.waiting_text()
            message = ChildMessage(body, printed, scratchpad, request_number)
            # Arguments and tracebacks may contain addresses, too.
            message_text = with_stable_addresses(json_text(message.encode()))
            message_bytes = message_text.encode("utf-8", "replace")
            send_body(self._reader.connection, message_bytes, self._max_message_bytes)
            self._output.mark_sent()
        finally:
            self._is_sending = False
        if self._postponed is not None:
            # The action calls `postpone_while_sending` again, which now forgets the action.
            self._postponed()

    def postpone_while_sending(self, action: Callable[[], None]) -> bool:
        """Return True if a message is being sent. Then `action` is called after it.

        The signal of a timer may interrupt `send`. Its handler must not send a message
        in the middle of the other one. So the handler first calls this method, with
        itself as the action, and returns if the answer is True.
        """
        if self._is_sending:
            self._postponed = action
            return True
        self._postponed = None  # The caller acts now, so no later call is needed.
        return False

    def receive(self) -> ParentMessage:
        """Return the parent's next message."""
        message = self._reader.receive(bounds.MOST_FROM_PARENT)
        return decode_parent_message(MessageFields(message))


class Console(TextIOBase):
    """A step's `sys.stdout` and `sys.stderr`.

    It is also the `console` of JavaScript, which models sometimes write: its `log` prints.
    """

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
