"""The conversation of a step with its parent: the messages, the requests and their replies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from controlplane.sandbox.child.step.scratchpad import (
    CitationError,
    GateRejection,
    HarnessError,
)
from controlplane.sandbox.child.walls.step_timers import longer_call
from controlplane.sandbox.functions import Call
from controlplane.sandbox.functions import Outcome as CallOutcome
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import NOT_FOUND, RESOURCE_EXHAUSTED
from controlplane.sandbox.interface.frames import Connection, TooLong
from controlplane.sandbox.interface.json_documents import json_text
from controlplane.sandbox.interface.limits import Activity, Limits
from controlplane.sandbox.interface.messages import (
    NOT_ACCEPTED,
    UNBOUND,
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    Failed,
    FromProcess,
    Message,
    Outcome,
    Request,
    ToProcess,
    decode_from_parent,
    decode_outcome,
    encoded,
    received_fields,
)
from controlplane.sandbox.interface.operations import Plain

# A script process's side of the messages of one step: requests go out, replies and tasks come in.
#
# Printed text is not sent by itself: it travels with the next message.

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


def _with_stable_addresses(text: str) -> str:
    """Return a text with `ADDRESS` instead of real addresses, which differ between runs."""
    if " 0x" not in text:
        return text
    return _REAL_ADDRESS.sub(ADDRESS, text)


# The printed text of a step, of which the beginning and the end are kept.

_FLUSH_CHARS: Final = 16_000
"""As soon as this much printed text waits, it is sent in a message of its own."""


class _StepOutput:
    """Keeps the beginning and the end of what a step prints, at most `max_chars` characters.

    The first half of the permitted text is sent to the parent while the step runs. Of
    all text after that, only the last characters are kept, as many as the other half
    permits. They are sent with the end of the step. With 10 characters permitted,
    `abcdefghijklmnop` becomes `abcde`, a note that 6 are cut out, and `lmnop`. So a long output is
    truncated for the model; the script itself is not told.
    """

    def __init__(self, max_chars: int) -> None:
        self._max_chars_per_half = max_chars // 2

        self.waiting_parts: list[str] = []
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
            self.waiting_parts.append(beginning)
            self.waiting_chars += len(beginning)
            self._first_half_room -= len(beginning)

        # 2. All later text. Shortening copies all of it, so it is not done at every call, but only
        #    when there is far more text than is kept.
        if text:
            self._later_parts.append(text)
            self._later_chars += len(text)
            far_more_than_kept = 4 * self._max_chars_per_half + _FLUSH_CHARS
            if self._later_chars > far_more_than_kept:
                self._shorten_later_text()

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
        self.output = _StepOutput(limits.output_chars)
        """The printed text that was not sent yet."""

    def print(self, text: str) -> None:
        """Keep printed text for the next message. Much text is sent at once.

        Text printed after the end of the step is dropped.
        """
        if self.activity.is_over:
            return
        # Replace the addresses of objects (`<Point object at 0x7f...>`) before the text is
        # divided into messages, which could divide an address.
        self.output.add(_with_stable_addresses(text))
        if self.output.waiting_chars >= _FLUSH_CHARS:
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
            printed = "".join(self.output.waiting_parts)
            message = Message(body, printed, scratchpad, request_number)
            # Arguments and tracebacks may contain addresses, too.
            text = _with_stable_addresses(json_text(message.encode()))
            self._connection.send(
                text.encode("utf-8", "replace"), self._max_message_bytes
            )
            self.output.waiting_parts = []
            self.output.waiting_chars = 0
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


# The requests of a script: calls, citations and the answer, and the exceptions for refused ones.

_Ask: TypeAlias = Callable[[Request], Outcome]
"""Sends a request to the parent, and returns its reply."""


class Requests:
    """Makes the requests of a script to the parent: calls, citations and the answer.

    `call("read", ["/a.md"], {})` is made for a script's `harness.read("/a.md")`. Each method
    returns what the parent replies. If the parent refuses, it raises the exception that the
    script gets, such as `FileNotFoundError`.
    """

    def __init__(self, ask: _Ask, call_seconds: Mapping[str, float]) -> None:
        self._ask = ask
        self._call_seconds = call_seconds
        """The time limits of operations that have one of their own, by name: `{"search": 120.0}`."""

    def call(self, operation: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call and return its result."""
        request = CallRequest(operation, positional, named)
        longest_s = self._call_seconds.get(operation)
        if longest_s is None:
            return self._granted(request)
        # The call has its own time limit. Its time does not count as time of the step.
        with longer_call(longest_s):
            return self._granted(request)

    def call_all(self, calls: Sequence[Call]) -> list[CallOutcome]:
        """Make several calls at the same time, for a function of the benchmark.

        Returns their outcomes in the same order: the result of each call, or a `CallError`,
        which is not raised. Raises only if the request as a whole is refused.
        """
        requests = []
        for operation, arguments in calls:
            requests.append(encoded(CallRequest(operation, [], dict(arguments))))

        # Each outcome is an encoded message, as the parent would send it in reply to one call.
        outcomes: list[CallOutcome] = []
        for fields in self._granted(CallsRequest(requests)):
            outcome = decode_outcome(fields)
            if isinstance(outcome, Failed):
                outcomes.append(outcome.error())
            else:
                outcomes.append(outcome.value)
        return outcomes

    def cite(self, path: str, reason: str, quote: str) -> str:
        """Cite a path as a source, and return it in its own spelling: `docs/A.md` -> `/docs/a.md`.

        Raises `CitationError` if the parent does not accept it, for example if it was not read.
        """
        request = CiteRequest(path, reason, quote)
        return str(self._granted(request, not_accepted=CitationError))

    def answer(self, request: AnswerRequest) -> None:
        """Submit the answer. Raises `GateRejection`, with the reasons, if its checks refuse it."""
        self._granted(request)

    def _granted(
        self, request: Request, not_accepted: type[Exception] = GateRejection
    ) -> Any:
        """Return what the parent replies to a request. If it refuses, raise that in the script."""
        reply = self._ask(request)
        if not isinstance(reply, Failed):
            return reply.value
        if reply.code == UNBOUND:
            raise TypeError(reply.message)
        if reply.code == NOT_ACCEPTED:
            raise not_accepted(reply.message)
        if reply.code == NOT_FOUND:
            raise FileNotFoundError(reply.message)
        raise HarnessError(reply.code, reply.message)
