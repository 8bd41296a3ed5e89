"""The dialogue of a step with the parent: requests, and what the parent asks for meanwhile.

A script calls `harness.read("/a.md")`; the request is sent, and the script waits for the
reply. Before the parent replies, it may ask this process to call the script's `verify` (the
script's own check of its answer), or to run a function of the benchmark.
"""

from __future__ import annotations

from controlplane.sandbox.child.step.activity import Activity, CurrentActivity
from controlplane.sandbox.child.step.channel import Channel
from controlplane.sandbox.child.step.function_runs import FunctionRuns
from controlplane.sandbox.child.step.harness.script_calls import ScriptCalls
from controlplane.sandbox.child.step.requests import Requests
from controlplane.sandbox.child.step.scratchpad.scratchpad import Scratchpad
from controlplane.sandbox.child.step.scratchpad.sent_scratchpad import SentScratchpad
from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_errors import StepErrors
from controlplane.sandbox.child.step.submission import Submission, without_submission
from controlplane.sandbox.interface.error_codes import INTERNAL
from controlplane.sandbox.interface.messages.child_requests import Request
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    VerifyResult,
)
from controlplane.sandbox.interface.messages.frames import TooLong
from controlplane.sandbox.interface.messages.parent_messages import (
    Answered,
    Refused,
    RunFunction,
    RunVerify,
)
from controlplane.sandbox.interface.plain_data import Plain


class Dialogue:
    """Makes the requests of a step, and does what the parent asks for before it replies.

    A script's `harness.read("/a.md")` becomes a request, and the parent's reply its result.
    Before the reply, the parent may ask to run `verify`, the script's check of its answer, or a
    function of the benchmark.
    """

    def __init__(self, context: StepContext, errors: StepErrors) -> None:
        setting = context.setting
        self._errors = errors
        self.activity = CurrentActivity()
        """What this process runs now: the script, its `verify`, or a function."""
        self.channel = Channel(context.reader, setting.limits)
        """The connection, which carries all messages and the printed text."""
        self._requests = Requests(self.channel)
        """Numbers the requests as it sends them."""

        # What scripts and functions use. The results of `harness` come from `reply_to`.
        self.calls = ScriptCalls(self.reply_to, setting.operations)
        """The calls of `harness`, such as `read`."""
        self.scratchpad = Scratchpad(self.calls.cite, self.send_scratchpad)
        """The dict that the script sees."""
        self.sent_scratchpad = SentScratchpad(
            self.scratchpad, setting.limits.scratchpad_bytes
        )
        """What the parent knows of that dict."""
        self.submission = Submission(self.scratchpad, self.calls, self.activity)
        """`harness.answer`, and the script's `verify`."""
        self._functions = FunctionRuns(context.functions, setting, self.calls)
        """The functions of the benchmark."""

    @property
    def is_out_of_memory(self) -> bool:
        """True if a function of the benchmark reached the memory limit of this process."""
        return self._functions.is_out_of_memory

    def print(self, text: str) -> None:
        """Keep text printed while the step runs, and drop text printed after its end."""
        if not self.activity.is_over:
            self.channel.print(text)

    def send_scratchpad(self) -> None:
        """Send the scratchpad if it changed.

        This is not a request, so the parent sends no answer.
        """
        scratchpad = self._changed_scratchpad()
        if scratchpad is not None:
            self.channel.send(scratchpad=scratchpad)

    def _changed_scratchpad(self) -> Plain:
        """Return the scratchpad if the script has changed it since it was sent, otherwise None.

        The caller sends it, so it counts as sent from now on.
        """
        # `verify` and functions have no scratchpad that they could change.
        if not self.activity.is_script:
            return None
        return self.sent_scratchpad.take_changed()

    def reply_to(self, request: Request) -> Answered | Refused:
        """Send a request and return the parent's reply, after doing what the parent asks for.

        Raises `RuntimeError` if the step is over, for example in a finalizer of the script.
        """
        if self.activity.is_over:
            msg = "the step is over"
            raise RuntimeError(msg)
        self._requests.send(request, self._changed_scratchpad())

        while True:
            message = self.channel.receive()
            match message:
                case Answered() | Refused():
                    return message
                case RunVerify():
                    self._call_verify(message)
                case RunFunction():
                    self.run_function(message)

    def _call_verify(self, task: RunVerify) -> None:
        """Call the script's `verify` on a copy of the scratchpad, and send what it returned.

        `is_blank` asks for a copy without the answer. A `verify` that then says yes checks
        nothing.
        """
        copy = self.sent_scratchpad.copy()
        if task.is_blank:
            copy = without_submission(copy)
        reply = self.submission.verify(copy, self._errors.describe)
        self.channel.send(VerifyResult(reply))

    def run_function(self, task: RunFunction) -> None:
        """Run a function of the benchmark, and send its result or its error.

        A result that cannot be sent, for example because it is too long, becomes an error.
        """
        with self.activity.during(Activity.FUNCTION):
            outcome = self._functions.outcome(task)
        try:
            self.channel.send(outcome)
        except (TooLong, TypeError, ValueError, RecursionError) as error:
            text = f"{task.function} found no plain data: {error}"
            self.channel.send(FunctionFault(INTERNAL, text))
