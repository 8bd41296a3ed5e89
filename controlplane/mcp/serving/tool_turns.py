"""A trial in which another program works through tools: the user's own agent, or an MCP client.

The trial runs as with a model: `CitedLoop` asks a model for one script after another,
runs each, and shows the model its output. Here, `ToolTurns` takes the place of the
model. It turns each call of the program into a script, and the script's output is the
result of the call. So gates, budget, journal and replay work as usual. The program
itself runs outside of the sandbox.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

from controlplane.agent.loop import CitedLoop, LeftOpen, TrialSession
from controlplane.agent.model import Model, ModelRequest, OutOfTime, Reply
from controlplane.mcp.serving.client_tools import (
    REPORT_COMPLETION,
    SUBMIT,
    advice_after_failure,
    in_client_words,
    reported_usage,
    script_of,
)
from controlplane.mcp.serving.farewell import farewell
from controlplane.sandbox import Ending
from controlplane.sandbox.interface import bounds
from controlplane.solver import SolverTools

OVER: Final = "This trial is over: its answer was accepted, or its time is up."


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A call of a tool by a client."""

    tool: str
    arguments: Mapping[str, Any]
    session: str | None
    """The client's session; None if the protocol names none."""
    approve: Callable[[str], bool] | None = None
    """Asks the client's user, in a form, whether to make a call of a script that is held back.

    None if the client cannot show forms (the protocol's elicitation).
    """


@dataclass(frozen=True, slots=True)
class CallResult:
    """The reply to a client's call."""

    text: str
    failed: bool = False
    question_id: str = ""
    """The question that the call belongs to; empty if the server serves a single trial."""


class CallingProgram(Protocol):
    """A program whose calls are the turns of a trial."""

    def start(self, turns: ToolTurns, first_message: str) -> None:
        """Start the program or, for a client that already runs, tell it that its trial has begun.

        The program makes its calls through `turns`. A model would get `first_message`
        at the start.
        """

    def fault(self) -> Exception | None:
        """Return the error for the trial to raise if no more calls will come; None if some may."""

    def stop(self) -> None:
        """End the program after its trial."""


@dataclass(frozen=True, slots=True)
class ServedSolver:
    """A solver that lets a program work on each trial by calling tools."""

    tools: SolverTools
    """What the loop needs: the sandbox, its settings and the budget."""
    program_for: Callable[[TrialSession], CallingProgram]
    """Returns the program that works on a trial."""

    def solve(self, session: TrialSession) -> str:
        """Serve the trial until it is over. Return why there is no answer, or an empty text.

        Raises `LeftOpen` if the run stops before that, so that the trial can be resumed.
        """
        program = self.program_for(session)
        turns = ToolTurns(session, program)
        loop = CitedLoop(
            turns,
            self.tools.sandbox_server(),
            self.tools.loop,
            budget=self.tools.budget,
        )
        try:
            no_answer_reason = loop.solve(session)
            if no_answer_reason:
                turns.finish(f"{OVER} ({no_answer_reason})", failed=True)
            else:
                turns.finish(farewell(session), failed=False)
        except BaseException:
            turns.finish(OVER, failed=True)
            raise
        finally:
            program.stop()
        return no_answer_reason


@dataclass(frozen=True, slots=True)
class _WaitingCall:
    """A call with its script and the future of its result."""

    call: ClientCall
    script: str
    result: Future[CallResult]

    def begin(self) -> bool:
        """Mark the call as begun, unless its client has cancelled it. Return False if it has."""
        return self.result.set_running_or_notify_cancel()


class ToolTurns(Model):
    """Takes the place of a trial's model: each "reply" is the script of the client's next call.

    Two calls take these steps:

    1. The loop asks its model for a script: `reply_to` waits for a call.
    2. A client makes a call: `result_of` puts it into a queue, and waits for its result.
    3. `reply_to` returns the script of the call, and the loop runs it.
    4. The loop asks for the next script, and shows the output of the last one:
       `reply_to` sets that as the result of the first call, and waits for the second one.

    Calls may come from any thread. They are made one after the other.
    """

    name = "client"

    def __init__(self, session: TrialSession, program: CallingProgram) -> None:
        self.session = session
        self.program = program
        self.is_over = False
        """True if no more calls are accepted."""
        self._is_started = False
        """True after the program has been told that the trial has begun."""
        self._calls: SimpleQueue[_WaitingCall] = SimpleQueue()
        """The calls whose scripts have not begun."""
        self._running_call: _WaitingCall | None = None
        """The call whose script is running; None while the trial waits for a call."""
        self._lock = threading.Lock()
        """Held while a call is accepted, and while the trial is marked as over."""

    # --- On the client's side ---

    async def result_of(self, call: ClientCall) -> CallResult:
        """Make a client's call of a tool after earlier calls, and return its result.

        A cancelled call ends at once, together with its script. Raises `CallError` for
        an invalid call.
        """
        script = script_of(call.tool, call.arguments, self.session.tool_schema)
        waiting = _WaitingCall(call, script, Future())
        with self._lock:
            if self.is_over:
                return CallResult(OVER, failed=True)
            self._calls.put(waiting)
        try:
            result = await asyncio.wrap_future(waiting.result)
        except asyncio.CancelledError:
            # If the script has not begun yet, an interruption has no effect. So repeat it.
            while not waiting.result.done():
                self.session.interrupt("the client cancelled this call")
                await asyncio.sleep(bounds.LOOK_S)
            raise

        text = result.text
        if call.tool in (SUBMIT, REPORT_COMPLETION):
            text = in_client_words(text)
        advice = advice_after_failure(call.tool)
        if result.failed and advice:
            text = f"{text}\n\n{advice}"
        return replace(result, text=text)

    # --- On the trial's side ---

    def reply_to(self, request: ModelRequest) -> Reply:
        """Give the last script's output to its call, and return the next call's script.

        Raises `ModelError` if there is no further call.
        """
        if self._is_started:
            last_message = request.messages[-1]["content"]
            self._end_call(script_output=last_message)
        else:
            self._is_started = True
            self.program.start(self, self._first_message(request))

        waiting = self._next_call(request.deadline)
        self._running_call = waiting
        self._ask_user_with(waiting.call.approve)
        return _reply_with_script(waiting)

    def _first_message(self, request: ModelRequest) -> str:
        """Return the message that a model gets after the system prompt.

        It has the instruction, and what is known of the environment.
        """
        if len(request.messages) > 1:
            return request.messages[1]["content"]
        return self.session.instruction

    def _end_call(self, script_output: str) -> None:
        """Set the output of the last script as the result of its call."""
        if self._running_call is None:
            return
        last_step = self.session.steps.last
        failed = last_step is None or last_step.ending != str(Ending.FINISHED)
        self._running_call.result.set_result(CallResult(script_output, failed))
        self._running_call = None

    def _ask_user_with(self, approve: Callable[[str], bool] | None) -> None:
        """Let the user of the next call's client decide about the script's own calls.

        A call is held back until a user approves it if it may change something and an
        argument comes from a text that is not trusted.
        """
        # `call_origins` checks where the arguments of each call come from.
        call_origins = self.session.exit.recorder.call_origins
        call_origins.policy = replace(call_origins.policy, approve=approve)

    def _next_call(self, deadline: float) -> _WaitingCall:
        """Wait for a call whose client still waits for the result.

        Raises `OutOfTime` at the deadline, `LeftOpen` (the trial can be resumed later) if
        the run stops, and the program's fault if the program has ended.
        """
        while True:
            with suppress(Empty):
                waiting = self._calls.get(timeout=bounds.LOOK_S)
                if waiting.begin():  # False if the client has cancelled the call.
                    return waiting
            if self.session.stop.is_set():
                raise LeftOpen
            if time.monotonic() > deadline:
                msg = "the program was still at work"
                raise OutOfTime(msg, retryable=False)
            fault = self.program.fault()  # None while the program runs.
            if fault is not None and self._calls.empty():
                raise fault

    def finish(self, text: str, *, failed: bool) -> None:
        """End the trial: `text` is the result of the running call, and later calls are refused."""
        with self._lock:
            self.is_over = True
        if self._running_call is not None:
            self._running_call.result.set_result(CallResult(text, failed))
            self._running_call = None
        while not self._calls.empty():
            waiting = self._calls.get()
            if waiting.begin():
                waiting.result.set_result(CallResult(OVER, failed=True))


def _reply_with_script(waiting: _WaitingCall) -> Reply:
    """Return the reply of a model that wants to run the script of a call."""
    # A model's reply has these four fields. The loop only uses the code.
    turn = {"state": "", "plan": [], "done": False, "code": waiting.script}
    usage_fields = reported_usage(waiting.call.arguments)
    return Reply.model_validate({"text": json.dumps(turn), **usage_fields})
