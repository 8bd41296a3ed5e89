"""The messages of a step to and from the parent.

Printed text is not sent by itself: it travels with the next message.
"""

from __future__ import annotations

from collections.abc import Callable

from controlplane.sandbox.child.language.stable_addresses import with_stable_addresses
from controlplane.sandbox.child.step.output_buffer import FLUSH_CHARS, OutputBuffer
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import json_text
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.child_messages import (
    ChildBody,
    ChildMessage,
)
from controlplane.sandbox.interface.messages.frames import FrameReader, send_body
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.parent_messages import (
    ParentMessage,
    decode_parent_message,
)
from controlplane.sandbox.interface.plain_data import Plain


class Channel:
    """The child's end of the connection to the parent, during one step.

    The child is the process of a script. Printed text waits here until a message is sent, such
    as a request, which takes it along.
    """

    def __init__(self, reader: FrameReader, limits: Limits) -> None:
        self._reader = reader
        """Receives from the connection, which is also used to send."""
        self._max_message_bytes = limits.frame_bytes
        self._output = OutputBuffer(limits.output_chars)
        """The printed text that was not sent yet."""
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
