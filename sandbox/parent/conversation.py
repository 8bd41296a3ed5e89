"""The messages of one step between the parent and its child, within the limits of the step.

`Conversation` receives and sends single messages. Any message of the child,
whatever its purpose, may also bring printed text and the current scratchpad;
these are kept here.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.child_messages import ChildMessage
from controlplane.sandbox.interface.error_codes import RESOURCE_EXHAUSTED
from controlplane.sandbox.interface.frames import (
    Closed,
    Forged,
    TooLong,
    limit_wait,
    read_message,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.host import Host, Limits
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.interface.operations import Operation, Plain
from controlplane.sandbox.interface.parent_messages import (
    ParentMessage,
    RunFunction,
    RunStep,
    refusal_bytes,
)
from controlplane.sandbox.interface.tagged_values import TAG, Damaged, flatten
from controlplane.sandbox.interface.tool_schema import ToolSchema
from controlplane.sandbox.parent.trial_process import TrialProcess

_CUT_NOTE_CHARS: Final = 200
"""Characters reserved for the line that states how many characters were cut out."""


def _ignore_moment(moment: float) -> None:
    """Do nothing. The default of `TrialState.end_calls_at`."""


@dataclass(slots=True)
class TrialState:
    """What the steps of a trial share on the parent's side."""

    tool_schema: ToolSchema
    host: Host
    limits: Limits
    scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The last scratchpad that the child sent, in encoded form (`tagged_values`)."""
    flat_scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The same scratchpad in JSON's own types."""
    has_answered: bool = False
    end_calls_at: Callable[[float], None] = _ignore_moment
    """Tells the host how long its calls may wait: until a moment on `time.monotonic()`.

    It is called twice for each call of the host: before it, with the deadline of the
    step; and after it, with infinity, which removes the limit. A host whose calls need
    no limit ignores it.
    """

    def operation(self, name: str) -> Operation | None:
        """Return the operation that scripts may call by this name; None if there is none.

        The `checks` of the tool schema are not for scripts: our own program calls them.
        """
        operation = self.tool_schema.operation(name)
        if operation is None or operation in self.tool_schema.checks:
            return None
        return operation


class LimitPassed(Exception):
    """The step passed a limit other than its deadline. The text says which."""


class StepOutput:
    """The printed text of a step, up to a maximum."""

    def __init__(
        self, max_chars: int, on_text: Callable[[str, str], None] | None
    ) -> None:
        """`on_text("", text)` is called with each added text (`Sandbox.on_text`)."""
        self._remaining_chars = max_chars
        self._on_text = on_text
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Add a text, or its beginning if there is no room for all of it."""
        kept_text = text[: self._remaining_chars]
        self._parts.append(kept_text)
        self._remaining_chars -= len(kept_text)
        if self._on_text is not None and text:
            self._on_text("", kept_text)

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self._parts)


class Conversation:
    """Exchanges the messages of one step with the child."""

    def __init__(
        self,
        state: TrialState,
        process: TrialProcess,
        on_text: Callable[[str, str], None] | None,
    ) -> None:
        limits = state.limits
        self._state = state
        self._limits = limits
        self._process = process
        self._has_hung_up = False
        """True if the child has closed its end of the connection.
        Messages that it sent before that can still be read."""
        self.output = StepOutput(limits.output_chars + _CUT_NOTE_CHARS, on_text)
        self.deadline = self._new_deadline()
        """When the step must have ended, on `time.monotonic()`."""
        self.passed_bytes = 0
        """Bytes of all messages in both directions."""

    # Tasks

    def begin(self, task: RunStep | RunFunction) -> None:
        """Start the child if there is none, and give it the task of the step."""
        child = self._process.ready()
        # The time that the child took to start is not counted.
        self.deadline = self._new_deadline()
        limit_wait(child.connection, self.deadline)
        send_frame(child.connection, task.encode(), bounds.MOST_REQUEST_BYTES)

    def _new_deadline(self) -> float:
        """Return the deadline of a step that begins now."""
        return time.monotonic() + self._limits.step_wall_s + bounds.SCRIPT_GRACE_S

    def interpose(self, task: RunFunction) -> None:
        """Give the child another task while its script waits for the answer to a request."""
        connection = self._process.connected().connection
        send_frame(connection, task.encode(), bounds.MOST_REQUEST_BYTES)

    def send(self, message: ParentMessage) -> None:
        """Send a short message."""
        connection = self._process.connected().connection
        limit_wait(connection, self._deadline_for_sending())
        send_frame(connection, message.encode(), self._limits.call_bytes)

    # Receiving

    def receive(self) -> ChildMessage:
        """Return the child's next message after keeping its printed text and its scratchpad.

        Raises `Closed`, `Forged`, `Overdue`, and `LimitPassed` after too many bytes.
        """
        reader = self._process.connected().reader
        body = reader.receive_body(self._limits.frame_bytes, self.deadline)

        # `step_bytes` is the limit that a script is told. Beyond it, `RequestAnswers`
        # refuses calls, so that the script can end by itself. A script that goes on is
        # ended at twice the limit.
        self.passed_bytes += len(body)
        if self.passed_bytes > 2 * self._limits.step_bytes:
            msg = f"the step passed more than {self._limits.step_bytes} bytes"
            raise LimitPassed(msg)

        message = ChildMessage.decode(MessageFields(read_message(body)))
        self.output.add(message.printed)
        if message.scratchpad is not None:
            self._keep_scratchpad(message.scratchpad)
        return message

    def _keep_scratchpad(self, scratchpad: Any) -> None:
        """Keep the scratchpad that the child sent. Raises `Forged` if it is not one."""
        # A tag is a key that names the type of an encoded value, such as a date. A mapping
        # has none, or the tag `dict` if not all of its keys are texts.
        if not isinstance(scratchpad, dict) or scratchpad.get(TAG) not in (
            None,
            "dict",
        ):
            msg = "a scratchpad that is not a mapping"
            raise Forged(msg)
        try:
            flat = flatten(scratchpad)
        except (Damaged, RecursionError) as error:
            raise Forged(str(error)) from error
        assert isinstance(flat, dict)
        self._state.scratchpad = scratchpad
        self._state.flat_scratchpad = flat

    # Answering

    def send_answer(self, body: bytes, max_bytes: int, *, may_hang_up: bool) -> None:
        """Send the answer to a request, or a refusal if the answer is too long.

        Raises `Closed` if the child no longer reads. With `may_hang_up`, the child may end
        without reading its answer. The first `Closed` is then ignored, so that the caller
        can still receive what the child sent before, such as its last output.
        """
        try:
            self._send_answer(body, max_bytes)
        except Closed:
            if not may_hang_up or self._has_hung_up:
                raise
            if self._process.child is None:
                # The parent itself ended the child, so nothing can be received.
                raise
            self._has_hung_up = True
            # The deadline may be over. Leave a moment for receiving the last messages.
            self.deadline = self._deadline_for_sending()

    def _send_answer(self, body: bytes, max_bytes: int) -> None:
        """Send the answer, or a refusal in its place. Raises `Closed`."""
        connection = self._process.connected().connection
        limit_wait(connection, self._deadline_for_sending())
        try:
            send_body(connection, body, max_bytes)
            self.passed_bytes += len(body)
        except TooLong as error:
            # Count it as the longest permitted answer. If it did not count, a script could
            # request such results without end.
            self.passed_bytes += max_bytes
            refusal = refusal_bytes(
                RESOURCE_EXHAUSTED, f"the result is too large: {error}"
            )
            send_body(connection, refusal, self._limits.call_bytes)

    @contextlib.contextmanager
    def with_deadline(self, deadline: float) -> Iterator[None]:
        """Within the block, let the step have another deadline."""
        deadline_before = self.deadline
        self.deadline = deadline
        try:
            yield
        finally:
            self.deadline = deadline_before

    def extend_deadline(self, seconds: float) -> None:
        """Give the step more time, because the time of a call does not count."""
        self.deadline += seconds

    def _deadline_for_sending(self) -> float:
        """Return the deadline of the step, but at least a moment from now.

        Even if the time of the step is over,
        the child can then be told why its call failed.
        """
        a_moment_from_now = time.monotonic() + bounds.SCRIPT_GRACE_S
        return max(self.deadline, a_moment_from_now)
