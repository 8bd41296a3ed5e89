"""Sends and receives the messages of one step, and ends the step if they pass a limit.

The parent (this process) sends a task to the child, the process of the script. The child sends
requests, which the parent answers: `read /a.md`, and its text. The bytes of all messages are
counted, and each wait has a deadline.
"""

from __future__ import annotations

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import RESOURCE_EXHAUSTED
from controlplane.sandbox.interface.messages.child_messages import ChildMessage
from controlplane.sandbox.interface.messages.frames import (
    Closed,
    TooLong,
    limit_wait,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.messages.message_fields import (
    MessageFields,
    read_message,
)
from controlplane.sandbox.interface.messages.parent_messages import (
    ParentMessage,
    RunFunction,
    RunStep,
    refusal_bytes,
)
from controlplane.sandbox.parent.step.step_deadline import StepDeadline
from controlplane.sandbox.parent.step.step_output import OnPrint, StepOutput
from controlplane.sandbox.parent.step.trial_state import TrialState
from controlplane.sandbox.parent.trial_process import TrialProcess


class LimitExceeded(Exception):
    """The step has exceeded a limit other than its deadline. The text says which."""


class Conversation:
    """Exchanges the messages of one step with the child, the untrusted process of the script.

    The parent gives a task (`begin`), and then receives requests and answers them until the
    child reports the end. Any message of the child may also bring printed text and the current
    scratchpad; these are kept here.
    """

    def __init__(
        self, state: TrialState, process: TrialProcess, on_print: OnPrint | None
    ) -> None:
        self._state = state
        self._limits = state.limits
        self._process = process
        self._has_hung_up = False
        """True if the child has closed its end of the connection.
        Messages that it sent before that can still be read."""
        self.output = StepOutput(self._limits.output_chars, on_print)
        self.deadline = StepDeadline(self._limits.step_wall_s)
        self.passed_bytes = 0
        """Bytes of all messages in both directions."""

    # Tasks

    def begin(self, task: RunStep | RunFunction) -> None:
        """Start the child if there is none, and give it the task of the step.

        The time of the step begins now.
        """
        child = self._process.ready()
        # The time that the child took to start is not counted.
        self.deadline.restart()
        limit_wait(child.connection, self.deadline.moment)
        send_frame(child.connection, task.encode(), bounds.MOST_REQUEST_BYTES)

    def interpose(self, task: RunFunction) -> None:
        """Give the child another task while its script waits for the answer to a request."""
        connection = self._process.connected().connection
        send_frame(connection, task.encode(), bounds.MOST_REQUEST_BYTES)

    def send(self, message: ParentMessage) -> None:
        """Send a short message, of at most as many bytes as a call may have."""
        connection = self._process.connected().connection
        limit_wait(connection, self.deadline.for_sending)
        send_frame(connection, message.encode(), self._limits.call_bytes)

    # Receiving

    def receive(self) -> ChildMessage:
        """Return the child's next message after keeping its printed text and its scratchpad.

        Raises `Closed`, `Forged`, `Overdue`, and `LimitExceeded` after too many bytes.
        """
        reader = self._process.connected().reader
        body = reader.receive_body(self._limits.frame_bytes, self.deadline.moment)

        # `step_bytes` is the limit that a script is told. Beyond it, its calls are refused,
        # so that the script can end by itself. A script that goes on is ended at twice the
        # limit.
        self.passed_bytes += len(body)
        if self.passed_bytes > 2 * self._limits.step_bytes:
            msg = f"the step passed more than {self._limits.step_bytes} bytes"
            raise LimitExceeded(msg)

        message = ChildMessage.decode(MessageFields(read_message(body)))
        self.output.add(message.printed)
        if message.scratchpad is not None:
            self._state.keep_scratchpad(message.scratchpad)
        return message

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
            self.deadline.leave_time_for_last_messages()

    def _send_answer(self, body: bytes, max_bytes: int) -> None:
        """Send the answer, or a refusal in its place. Raises `Closed`."""
        connection = self._process.connected().connection
        limit_wait(connection, self.deadline.for_sending)
        try:
            send_body(connection, body, max_bytes)
            self.passed_bytes += len(body)
        except TooLong as error:
            # Count it as the longest permitted answer. If it did not count, a script could
            # request such results without end.
            self.passed_bytes += max_bytes
            text = f"the result is too large: {error}"
            refusal = refusal_bytes(RESOURCE_EXHAUSTED, text)
            send_body(connection, refusal, self._limits.call_bytes)
