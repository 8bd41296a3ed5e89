"""The parent's side of the messages of one step: tasks and replies go out, messages come in.

The process of the script is untrusted. Each wait has a deadline, the bytes of all messages are
counted (`frames`), and printed text is cut.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import RESOURCE_EXHAUSTED
from controlplane.sandbox.interface.frames import Closed, Forged, TooLong
from controlplane.sandbox.interface.host import Host
from controlplane.sandbox.interface.limits import Activity, Limits
from controlplane.sandbox.interface.messages import (
    Failed,
    Message,
    ToProcess,
    encoded,
    message_bytes,
    reply_bytes,
)
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.tagged_values import TAG, Damaged, flatten
from controlplane.sandbox.interface.tool_schema import ToolSchema
from controlplane.sandbox.parent.child_process import TrialProcess


class LimitExceeded(Exception):
    """The step has exceeded a limit other than its deadline. The text says which."""


OnPrint: TypeAlias = Callable[[str], None]
"""Called with each printed text when it arrives."""

_CUT_NOTE_CHARS: Final = 200
"""The most characters of the line with which the process of a script says how many characters it
has cut out of a long output. It comes on top of the limit."""

_LEAST_STEP_S: Final = 0.1
"""A step has at least so many seconds, even if nothing is left of its trial. A timer of 0 s is none."""

# What the steps of a trial share on the parent's side, such as the scratchpad.


def _unlimited_s() -> float:
    """Return infinity. The default of `TrialState.remaining_s`."""
    return math.inf


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
    remaining_s: Callable[[], float] = _unlimited_s
    """Returns the seconds that are left of the trial."""
    end_calls_at: Callable[[float], None] = _ignore_moment
    """Tells the host how long its calls may wait: until a moment on `time.monotonic()`.

    It is called twice for each call of the host: before it, with the deadline of the
    step; and after it, with infinity, which removes the limit. A host whose calls need
    no limit ignores it.
    """

    def step_wall_s(self) -> float:
        """Return the seconds of a step that begins now: its limit, or less if the trial ends before."""
        left_s = max(round(self.remaining_s(), 1), _LEAST_STEP_S)
        return min(self.limits.step_wall_s, left_s)

    def keep_scratchpad(self, scratchpad: Any) -> None:
        """Keep the scratchpad that the child sent. Raises `Forged` if it is not one."""
        # A tag is a key that names the type of an encoded value, such as a date. A mapping
        # has none, or the tag `dict` if not all of its keys are texts.
        is_mapping = isinstance(scratchpad, dict)
        if not is_mapping or scratchpad.get(TAG) not in (None, "dict"):
            msg = "a scratchpad that is not a mapping"
            raise Forged(msg)
        try:
            self.restore_scratchpad(scratchpad)
        except (Damaged, RecursionError) as error:
            raise Forged(str(error)) from error

    def restore_scratchpad(self, scratchpad: dict[str, Plain]) -> None:
        """Continue from a scratchpad in encoded form. Raises `Damaged`."""
        flat = flatten(scratchpad)
        self.scratchpad = dict(scratchpad)
        self.flat_scratchpad = flat if isinstance(flat, dict) else {}


class Conversation:
    """Exchanges the messages of one step with the child, the untrusted process of the script.

    The parent gives a task (`begin`), and then receives requests and replies to them until the
    child reports the end. Any message of the child may also bring printed text and the current
    scratchpad; these are kept here.
    """

    def __init__(
        self, state: TrialState, process: TrialProcess, on_print: OnPrint | None
    ) -> None:
        self._state = state
        self._limits = state.limits
        self._process = process
        self._bytes_before = 0
        """Bytes that had passed the connection before the step."""
        self._has_hung_up = False
        """True if the child has closed its end of the connection.
        Messages that it sent before that can still be read."""
        self._on_print = on_print
        self._printed: list[str] = []
        self._remaining_chars = self._limits.output_chars + _CUT_NOTE_CHARS
        """Characters of printed text for which there is still room. The process of the script, which
        cuts long output itself, is not trusted to do so."""
        self.activity = Activity()
        self.wall_s = state.step_wall_s()
        """Wall-clock seconds that the step may take."""
        self.deadline = self._end_of_step()
        """When the step must have ended, on `time.monotonic()`."""

    def _end_of_step(self) -> float:
        """Return the deadline of a step that begins now.

        A script is ended by timers in its own process. The parent waits a little longer than they,
        so that the process can still say that its time is over.
        """
        return time.monotonic() + self.wall_s + bounds.SCRIPT_GRACE_S

    def extend(self, seconds: float) -> None:
        """Move the deadline by seconds that do not count for the step, but not past the trial's end."""
        left_s = self._state.remaining_s() + bounds.SCRIPT_GRACE_S
        self.deadline = min(self.deadline + seconds, time.monotonic() + left_s)

    @property
    def printed(self) -> str:
        """The printed text of the step, up to its maximum."""
        return "".join(self._printed)

    @property
    def passed_bytes(self) -> int:
        """Bytes of all messages of the step, in both directions."""
        connection = self._process.connected().connection
        return connection.passed_bytes - self._bytes_before

    def begin(self, task: ToProcess) -> None:
        """Start the child if there is none, and give it the task of the step.

        The time of the step begins now, so that the child's start is not counted.
        """
        self._bytes_before = self._process.ready().connection.passed_bytes
        self.deadline = self._end_of_step()
        self.tell(task)

    def tell(self, task: ToProcess) -> None:
        """Give the child a task; also while its script waits for the reply to a request."""
        body = message_bytes(encoded(task))
        self._send(body, bounds.MOST_REQUEST_BYTES)

    def receive(self) -> Message:
        """Return the child's next message after keeping its printed text and its scratchpad.

        Raises `Closed`, `Forged`, `Overdue`, and `LimitExceeded` after too many bytes.
        """
        child = self._process.connected()
        message = child.receive(self._limits.frame_bytes, self.deadline)

        # `step_bytes` is the limit that a script is told. Beyond it, its calls are refused,
        # so that the script can end by itself. A script that goes on is ended at twice the
        # limit.
        if self.passed_bytes > 2 * self._limits.step_bytes:
            msg = f"the step passed more than {self._limits.step_bytes} bytes"
            raise LimitExceeded(msg)

        self.keep_printed(message.printed)
        if message.scratchpad is not None:
            self._state.keep_scratchpad(message.scratchpad)
        return message

    def keep_printed(self, text: str) -> None:
        """Keep a printed text, or its beginning if there is no room for all of it."""
        if not text:
            return
        kept_text = text[: self._remaining_chars]
        self._printed.append(kept_text)
        self._remaining_chars -= len(kept_text)
        # Also if there is no room left for it: then it is reported as empty.
        if self._on_print is not None:
            self._on_print(kept_text)

    def reply(self, body: bytes, max_bytes: int) -> None:
        """Send the reply to a request, or a refusal if the reply is too long.

        Raises `Closed` if the child no longer reads. But a script may end without reading its last
        reply. Then the first `Closed` is ignored, so that the caller can still receive what the
        child sent before, such as its last output.
        """
        try:
            try:
                self._send(body, max_bytes)
            except TooLong as error:
                text = f"the result is too large: {error}"
                refusal = reply_bytes(Failed(RESOURCE_EXHAUSTED, text))
                self._send(refusal, self._limits.call_bytes)
        except Closed:
            # A function or `verify`, during which requests may only read, waits for every reply.
            if self.activity.may_only_read or self._has_hung_up:
                raise
            if self._process.child is None:
                # The parent itself ended the child, so nothing can be received.
                raise
            self._has_hung_up = True
            # There is time left for the last messages.
            self.deadline = self._deadline_for_sending()

    def _deadline_for_sending(self) -> float:
        """Return the deadline of the step, but at least `SCRIPT_GRACE_S` from now.

        Even if the time of the step is over, the process can then be told why its call failed.
        """
        return max(self.deadline, time.monotonic() + bounds.SCRIPT_GRACE_S)

    def _send(self, body: bytes, max_bytes: int) -> None:
        connection = self._process.connected().connection
        connection.send(body, max_bytes, self._deadline_for_sending())
