"""A script process's side of the messages of one step: requests go out, replies and tasks come in.

Printed text is not sent by itself: it travels with the next message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from controlplane.sandbox.child.step.scratchpad import HarnessError
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.activity import Activity
from controlplane.sandbox.interface.error_codes import RESOURCE_EXHAUSTED
from controlplane.sandbox.interface.frames import Connection, TooLong
from controlplane.sandbox.interface.json_documents import json_text
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages import (
    CallRequest,
    FromProcess,
    Message,
    Request,
    ToProcess,
    decode_from_parent,
    received_fields,
)
from controlplane.sandbox.interface.parameters import Plain

# Addresses of objects in printed text, such as `0x7f3a5c0b1d60`, which differ between runs.

ADDRESS: Final = "0x5ab1e0000040"
"""Replaces every real address in printed text. Any number of the usual length would do."""

# `at ` in `<map object at 0x7f3a5c0b1d60>`
_BEFORE_ADDRESS: Final = r"(?:(?<= at )|(?<= @ ))"
# `0x7f3a5c0b1d60`
_HEX_NUMBER: Final = r"0x[0-9a-f]{6,16}"
# `>`, or `,` in `<code object f at 0x7f3a5c0b1d60, file ...>`
_AFTER_ADDRESS: Final = r"(?=[>,;:])"

_REAL_ADDRESS: Final = re.compile(_BEFORE_ADDRESS + _HEX_NUMBER + _AFTER_ADDRESS)
"""Matches an address as Python shows it in the `repr` of an object.
Other hexadecimal numbers do not have such neighbours."""


def with_stable_addresses(text: str) -> str:
    """Return a text with `ADDRESS` instead of real addresses, which differ between runs."""
    if " 0x" not in text:
        return text
    return _REAL_ADDRESS.sub(ADDRESS, text)


# The printed text of a step, of which the beginning and the end are kept.

FLUSH_CHARS: Final = 16_000
"""As soon as this much printed text waits, it is sent in a message of its own."""


class StepOutput:
    """Keeps the beginning and the end of what a step prints, at most `max_chars` characters.

    The first half of the permitted text is sent to the parent while the step runs. Of
    all text after that, only the last characters are kept, as many as the other half
    permits. They are sent with the end of the step. With 10 characters permitted,
    `abcdefghijklmnop` becomes `abcde`, a note that 6 are cut out, and `lmnop`.
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
        """The length of that text, without what was dropped."""
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
            far_more_than_kept = 4 * self._max_chars_per_half + FLUSH_CHARS
            if self._later_chars > far_more_than_kept:
                self._shorten_later_text()

    def waiting_text(self) -> str:
        """Return the text of the first half that was not sent yet. `mark_sent` follows it."""
        return "".join(self._waiting_parts)

    def mark_sent(self) -> None:
        """Forget the text that `waiting_text` returned, because it was sent."""
        self._waiting_parts = []
        self.waiting_chars = 0

    def end(self) -> str:
        """Return the text after the first half, for the last message of the step.

        If some was dropped, a line in front says how much.
        """
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


class Conversation:
    """Exchanges the messages of one step with the parent.

    Printed text waits here until a message is sent, such as a request, which takes it along.
    """

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection = connection
        self._max_message_bytes = limits.frame_bytes
        self._last_number = 0
        """The number of the last request; they are numbered from 1."""
        self._is_sending = False
        """True in the middle of `send`, which a signal may interrupt."""
        self._postponed: Callable[[], None] | None = None
        """The action to call when the present message is sent (`postpone_while_sending`)."""
        self.activity = Activity()
        self.output = StepOutput(limits.output_chars)
        """The printed text that was not sent yet."""

    def print(self, text: str) -> None:
        """Keep printed text for the next message. Much text is sent at once.

        Text printed after the end of the step is dropped.
        """
        if self.activity.is_over:
            return
        # Replace the addresses of objects (`<Point object at 0x7f...>`) before the text is
        # divided into messages, which could divide an address.
        self.output.add(with_stable_addresses(text))
        if self.output.waiting_chars >= FLUSH_CHARS:
            self.send()

    def request(self, request: Request, scratchpad: Plain) -> None:
        """Send a request. Raises `HarnessError` or `TypeError` if it cannot be sent."""
        number = self._last_number + 1
        try:
            self.send(request, scratchpad, number)
        except TooLong as error:
            raise HarnessError(RESOURCE_EXHAUSTED, str(error)) from None
        except (TypeError, ValueError, RecursionError) as error:
            name = request.operation if isinstance(request, CallRequest) else "calls"
            msg = f"harness.{name}: an argument is not plain data ({error})"
            raise TypeError(msg) from None
        # Count only requests that were sent: the parent expects numbers without a gap.
        self._last_number = number

    def send(
        self,
        body: FromProcess | None = None,
        scratchpad: Plain = None,
        request_number: int = 0,
    ) -> None:
        """Send one message, with the text printed since the last message.

        `request_number` counts the requests of a step, so that the parent recognizes a
        repeated one. It is 0 for a message that is not a request.
        """
        self._is_sending = True
        try:
            printed = self.output.waiting_text()
            message = Message(body, printed, scratchpad, request_number)
            # Arguments and tracebacks may contain addresses, too.
            text = with_stable_addresses(json_text(message.encode()))
            self._connection.send(
                text.encode("utf-8", "replace"), self._max_message_bytes
            )
            self.output.mark_sent()
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

    def receive(self) -> ToProcess:
        """Return the parent's next message."""
        fields = received_fields(self._connection, bounds.MOST_FROM_PARENT)
        return decode_from_parent(fields)
