"""A trial that another program works on through tools: an agent of the user's, or any MCP client.

Each call becomes a script of the cited loop, and the script's output its result, so that gates,
budget, journal and replay work as for a model. No part of the other program runs in our isolation.
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
from controlplane.gates.declared_changes import change_entries
from controlplane.gates.submission import OUTCOMES
from controlplane.gates.support.footnotes import footnoted
from controlplane.gates.support.value_support import marker_of
from controlplane.mcp.client_tools import (
    REPORT_COMPLETION,
    SUBMIT,
    advice_after_failure,
    in_client_words,
    reported_usage,
    script_of,
)
from controlplane.sandbox import Ending
from controlplane.sandbox.interface import bounds
from controlplane.solver import SolverTools

OVER: Final = "This trial is over: its answer was accepted, or its time is up."


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A client's call of a tool."""

    tool: str
    arguments: Mapping[str, Any]
    session: str | None
    """The client's session; None if the protocol names none."""
    approve: Callable[[str], bool] | None = None
    """Asks the client's user about a held call, by elicitation; None if the client cannot."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a client hears of its call."""

    text: str
    failed: bool = False
    question_id: str = ""
    """The question that it belongs to; empty in a trial's own server."""


class CallingProgram(Protocol):
    """The program whose calls are the turns of a trial."""

    def start(self, turns: ToolTurns, first_message: str) -> None:
        """Start the program, or tell it that the trial has begun."""

    def fault(self) -> Exception | None:
        """Return why no further call will come; None while calls may come."""

    def stop(self) -> None:
        """End the program once its trial is over."""


@dataclass(frozen=True, slots=True)
class ServedSolver:
    """Works on trials through tools that a program calls."""

    tools: SolverTools
    program_for: Callable[[TrialSession], CallingProgram]

    def solve(self, session: TrialSession) -> str:
        """Serve the trial until it is answered; return an empty string, or why it is not.

        Raises `LeftOpen`.
        """
        program = self.program_for(session)
        turns = ToolTurns(session, program)
        loop = CitedLoop(
            turns, self.tools.sandbox_server(), self.tools.loop, budget=self.tools.budget
        )
        try:
            reason = loop.solve(session)
            if reason:
                turns.finish(f"{OVER} ({reason})", failed=True)
            else:
                turns.finish(turns.farewell(), failed=False)
        finally:
            turns.finish(OVER, failed=True)
            program.stop()
        return reason


@dataclass(frozen=True, slots=True)
class _WaitingCall:
    """A call with its script, and where its result is awaited."""

    call: ClientCall
    script: str
    result: Future[CallResult]


class ToolTurns(Model):
    """The cited loop's model for one trial: each reply is the script of the next call.

    Calls come from any thread and are made one after the other.
    """

    name = "client"

    def __init__(self, session: TrialSession, program: CallingProgram) -> None:
        self.session = session
        self.program = program
        self.is_over = False
        """No further call is accepted."""
        self._is_started = False
        self._calls: SimpleQueue[_WaitingCall] = SimpleQueue()
        self._under_way: _WaitingCall | None = None
        self._lock = threading.Lock()
        """Held while a call is accepted, and while the trial is declared over."""

    # --- On the client's side ---

    async def result_of(self, call: ClientCall) -> CallResult:
        """Make a client's call of a tool after those before it, and return its result.

        A call that is cancelled ends at once, with its script. Raises `CallError` for an invalid
        call.
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
            while not waiting.result.done():  # Its script may just begin.
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
        """Hand the last script's output to its call, and return the next call's script.

        Raises `ModelError`.
        """
        messages = request.messages
        if not self._is_started:
            self._is_started = True
            first_message = self.session.instruction
            if len(messages) > 1:
                first_message = messages[1]["content"]
            self.program.start(self, first_message)
        elif self._under_way is not None:
            last_step = self.session.last_step
            failed = last_step is None or last_step.ending != str(Ending.FINISHED)
            self._under_way.result.set_result(CallResult(messages[-1]["content"], failed))
            self._under_way = None

        waiting = self._next_call(request.deadline)
        self._under_way = waiting
        call_origins = self.session.exit.recorder.call_origins
        call_origins.policy = replace(call_origins.policy, approve=waiting.call.approve)
        turn = {"state": "", "plan": [], "done": False, "code": waiting.script}
        fields = reported_usage(waiting.call.arguments)
        return Reply.model_validate({"text": json.dumps(turn), **fields})

    def _next_call(self, deadline: float) -> _WaitingCall:
        """Wait for a call whose client still waits for its result. Raises `OutOfTime` at the deadline."""
        while True:
            with suppress(Empty):
                waiting = self._calls.get(timeout=bounds.LOOK_S)
                if waiting.result.set_running_or_notify_cancel():
                    return waiting
            if self.session.stop.is_set():
                raise LeftOpen
            if time.monotonic() > deadline:
                msg = "the program was still at work"
                raise OutOfTime(msg, retryable=False)
            fault = self.program.fault()
            if fault is not None and self._calls.empty():
                raise fault

    def finish(self, text: str, *, failed: bool) -> None:
        """Answer the call under way; every later one hears that the trial is over."""
        with self._lock:
            self.is_over = True
        if self._under_way is not None:
            self._under_way.result.set_result(CallResult(text, failed))
            self._under_way = None
        while not self._calls.empty():
            waiting = self._calls.get()
            if waiting.result.set_running_or_notify_cancel():
                waiting.result.set_result(CallResult(OVER, failed=True))

    def farewell(self) -> str:
        """Return what the client hears of its accepted answer.

        The answer's values are marked as `ask` marks them; what the trial changed follows.
        """
        evidence = self.session.exit.recorder.evidence_log.view()
        parts = ["The answer passed the gates. This trial is over."]
        marked = self._marked_answer()
        if marked:
            parts.append(marked)
        changes = evidence.present_changes
        parts.append(f"changed: {change_entries(changes) if changes else 'nothing'}")
        return "\n\n".join(parts)

    def _marked_answer(self) -> str:
        """Return the accepted answer to a question about files, with a mark behind each value."""
        answer = self.session.exit.accepted
        asks_files = self.session.tool_schema.operation("passages") is not None
        if answer is None or answer.outcome != OUTCOMES[0] or not asks_files:
            return ""
        evidence = self.session.exit.recorder.evidence_log.view()
        cited = {ref.partition("#")[0] for ref in answer.refs}
        clock = [self.session.exit.now]
        marker = marker_of(evidence, self.session.instruction, cited, clock, evidence.steps)
        marks = marker.marks(answer.message)
        if not marks:
            return ""
        message, footnotes = footnoted(answer.message, marks)
        return f"{message}\n{footnotes}".strip()
