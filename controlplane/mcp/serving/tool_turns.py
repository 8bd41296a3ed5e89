"""The turns of a trial in which a program, instead of a model, decides what to do.

The loop of a trial asks a model for one script after another, runs each, and shows the
model its output. `ToolTurns` is such a "model". One turn goes like this:

1. The loop asks for a script, and `reply_to` waits.
2. The program calls a tool: `execute_script(code)`. The call waits in the queue.
3. `reply_to` takes the call from the queue, and returns its script.
4. The loop runs the script, and asks for the next one, with the output of this one.
5. `reply_to` gives the output to the program as the result of its call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import Model, ModelRequest, OutOfTime, Reply
from controlplane.mcp.serving.call_queue import CallQueue, WaitingCall
from controlplane.mcp.serving.calling_program import CallingProgram
from controlplane.mcp.serving.script_reply import reply_with_script
from controlplane.mcp.serving.trial_calls import TrialCalls
from controlplane.sandbox import Ending
from controlplane.sandbox.interface import bounds


class ToolTurns(Model):
    """Takes the place of a trial's model. The program's calls are made one after the other.

    The loop calls `reply_to` for each turn. When the trial is over, its solver calls `finish`.
    """

    name = "client"

    def __init__(self, session: TrialSession, program: CallingProgram) -> None:
        self.session = session
        self.program = program
        self._has_started_program = False
        self._queue = CallQueue()
        """The program's calls whose scripts have not begun."""
        self._running_call: WaitingCall | None = None
        """The call whose script is running; None while the trial waits for a call."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Give the last script's output to its call, and return the next call's script.

        Raises `ModelError` if there is no further call.
        """
        if self._has_started_program:
            last_message = request.messages[-1]["content"]
            self._end_call(last_message, failed=_last_script_failed(self.session))
        else:
            self._has_started_program = True
            calls = TrialCalls(self.session, self._queue)
            self.program.start(calls, _first_message(request, self.session))

        self._running_call = self._next_call(request.deadline)
        _let_user_decide(self._running_call.call.approve, self.session)
        return reply_with_script(self._running_call)

    def _next_call(self, deadline: float) -> WaitingCall:
        """Wait for the program's next call, whose result its client has not cancelled.

        Raises `OutOfTime` at the deadline, `LeftOpen` (the trial can be resumed later) if
        the run stops, and the program's fault if the program has ended.
        """
        while True:
            waiting = self._queue.take(wait_s=bounds.MCP_POLL_S)
            if waiting is not None:
                return waiting
            if self.session.stop.is_set():
                raise LeftOpen
            if time.monotonic() > deadline:
                msg = "the program was still at work"
                raise OutOfTime(msg, retryable=False)
            fault = self.program.fault()  # None while the program runs.
            if fault is not None and self._queue.is_empty:
                raise fault

    def finish(self, text: str, *, failed: bool) -> None:
        """End the trial: `text` is the result of the running call, and later calls are refused."""
        self._queue.close()
        self._end_call(text, failed=failed)
        self._queue.refuse_all()

    def _end_call(self, text: str, *, failed: bool) -> None:
        """Set the result of the running call, if there is one."""
        if self._running_call is not None:
            self._running_call.end(text, failed=failed)
            self._running_call = None


def _last_script_failed(session: TrialSession) -> bool:
    """Return True unless the trial's last script ran to its end."""
    last_step = session.completed_steps.last
    return last_step is None or last_step.ending != str(Ending.FINISHED)


def _first_message(request: ModelRequest, session: TrialSession) -> str:
    """Return the message that a model gets after the system prompt.

    It has the instruction, and what is known of the environment.
    """
    if len(request.messages) > 1:
        return request.messages[1]["content"]
    return session.instruction


def _let_user_decide(
    approve: Callable[[str], bool] | None, session: TrialSession
) -> None:
    """Let the user of the client decide about calls that the next script makes.

    A script's call is held back if it may change something and an argument comes from a
    text that is not trusted, such as a mail. Then `approve` asks the user; None: nobody can
    be asked.
    """
    # `call_origins` checks where the arguments of each call come from.
    call_origins = session.gated_exit.recorder.call_origins
    call_origins.policy = replace(call_origins.policy, approve=approve)
