"""A solver with which a program, instead of a model, works on each trial.

The program is the user's own agent, or an MCP client. It runs outside of the sandbox and
calls tools. Each call becomes a script of the trial's usual loop, so gates, budget,
journal and replay work as with a model.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from controlplane.agent.loop import CitedLoop, LeftOpen, TrialSession
from controlplane.agent.model import Model, ModelRequest, OutOfTime, Reply
from controlplane.gates.checks.outcomes import change_entries
from controlplane.gates.evidence import Evidence
from controlplane.gates.support.marks import footnoted
from controlplane.gates.support.value_support import marker_of
from controlplane.mcp.serving.calls import OVER, ClientCall, ProgramCalls
from controlplane.sandbox import Ending
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.outcomes import OutcomeKind
from controlplane.solver import SolverSpec, SolverTools

# A program that works on a trial by calling tools, as the trial knows it.


class _CallingProgram(Protocol):
    """A program whose calls are the turns of a trial."""

    def start(self, calls: ProgramCalls, first_message: str) -> None:
        """Start the program or, for a client that already runs, tell it that its trial has begun.

        The program makes its calls through `calls`. A model would get `first_message`
        at the start.
        """

    def fault(self) -> Exception | None:
        """Return the error for the trial to raise if no more calls will come; None if some may."""

    def stop(self) -> None:
        """End the program after its trial."""


# The last message to a client whose answer was accepted.


def _farewell(session: TrialSession) -> str:
    """Return the last message to a client whose answer was accepted.

    It has the answer with footnotes, as `ask` prints it, and lists what the trial changed.
    """
    evidence = session.gated_exit.recorder.evidence_log.view()
    parts = ["The answer passed the gates. This trial is over."]
    answer = _footnoted_answer(session, evidence)
    if answer:
        parts.append(answer)
    changes = evidence.present_changes
    parts.append(f"changed: {change_entries(changes) if changes else 'nothing'}")
    return "\n\n".join(parts)


def _footnoted_answer(session: TrialSession, evidence: Evidence) -> str:
    """Return the accepted answer with a footnote for each value: its place in the files.

    The text is empty if the trial is not a question about files, or if its answer has
    no values.
    """
    answer = session.gated_exit.accepted
    # Only questions about files have the operation `passages`.
    asks_files = session.tool_schema.operation("passages") is not None
    if answer is None or not asks_files:
        return ""
    if session.tool_schema.outcomes.kind_of(answer.outcome) is not OutcomeKind.DONE:
        return ""
    # The marker finds the values of a text, and for each value the place that has it.
    marker = marker_of(
        evidence,
        question=session.instruction,
        # The files of references such as `notes.md#L3`.
        cited={reference.partition("#")[0] for reference in answer.refs},
        # The answer may name the trial's date, although no file contains it.
        context_texts=[session.trial.now_text],
        script_runs=evidence.script_runs,
    )
    marks = marker.marks(answer.message)
    if not marks:
        return ""
    message, footnotes = footnoted(answer.message, marks)
    return f"{message}\n{footnotes}".strip()


# A client's call, as the reply of a model that wants to run the call's script.
#
# A trial's loop asks a model for scripts. If a program takes the model's place, its calls of
# `execute_script(code)` are passed to the loop as such replies, with the usage that it reports.

# Larger numbers, which cannot be true, are ignored: they would spoil the run's totals.
_MOST_REPORTED_TOKENS: Final = 10**12
_MOST_REPORTED_USD: Final = 10**9


def _reported_usage(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tokens and the cost that a program reports, as fields of a reply.

    `{"tokens": 900, "cost_usd": 0.02}` -> `{"usage": {"prompt_tokens": 900}, "cost_usd": 0.02, …}`.
    Programs may report anything, so a value that is no possible number is left out.
    """
    tokens = arguments.get("tokens")
    cost_usd = arguments.get("cost_usd")
    fields: dict[str, Any] = {}
    if isinstance(tokens, int) and 0 <= tokens < _MOST_REPORTED_TOKENS:
        fields["usage"] = {"prompt_tokens": tokens}
    if isinstance(cost_usd, int | float) and 0 <= cost_usd < _MOST_REPORTED_USD:
        fields["cost_usd"] = float(cost_usd)
        fields["cost_source"] = "vendor"
    return fields


# The turns of a trial in which a program, instead of a model, decides what to do.
#
# The loop of a trial asks a model for one script after another, runs each, and shows the
# model its output. `_ProgramTurns` is such a "model". One turn goes like this:
#
# 1. The loop asks for a script, and `reply_to` waits.
# 2. The program calls a tool: `execute_script(code)`. The call waits in the queue.
# 3. `reply_to` takes the call from the queue, and returns its script.
# 4. The loop runs the script, and asks for the next one, with the output of this one.
# 5. `reply_to` gives the output to the program as the result of its call.


class _ProgramTurns(Model):
    """Takes the place of a trial's model. The program's calls are made one after the other.

    The loop calls `reply_to` for each turn. When the trial is over, its solver calls `finish`.
    """

    name = "client"

    def __init__(self, session: TrialSession, program: _CallingProgram) -> None:
        self.session = session
        self.program = program
        self._has_started_program = False
        self._calls = ProgramCalls(session)
        self._running_call: ClientCall | None = None
        """The call whose script is running; None while the trial waits for a call."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Give the last script's output to its call, and return the next call's script.

        Raises `ModelError` if there is no further call.
        """
        if self._has_started_program:
            last_message = request.messages[-1]["content"]
            last_step = self.session.last_step
            is_finished = last_step is not None and last_step.ending == str(
                Ending.FINISHED
            )
            self._end_call(last_message, failed=not is_finished)
        else:
            self._has_started_program = True
            # What a model gets after the system prompt: the instruction, and what is known of
            # the environment
            first_message = self.session.instruction
            if len(request.messages) > 1:
                first_message = request.messages[1]["content"]
            self.program.start(self._calls, first_message)

        self._running_call = self._next_call(request.deadline)
        # A script's call is held back if it may change something and an argument comes from a
        # text that is not trusted, such as a mail. Then the user of the client is asked.
        approve = self._running_call.approve  # None: nobody can be asked.
        call_origins = self.session.gated_exit.recorder.call_origins
        call_origins.policy = replace(call_origins.policy, approve=approve)

        # A model's reply has these four fields. The loop only uses the code.
        script = self._running_call.script
        turn = {"state": "", "plan": [], "done": False, "code": script}
        usage_fields = _reported_usage(self._running_call.arguments)
        return Reply.model_validate({"text": json.dumps(turn), **usage_fields})

    def _next_call(self, deadline: float) -> ClientCall:
        """Wait for the program's next call, whose result its client has not cancelled.

        Raises `OutOfTime` at the deadline, `LeftOpen` (the trial can be resumed later) if
        the run stops, and the program's fault if the program has ended.
        """
        while True:
            waiting = self._calls.next_call(wait_s=bounds.MCP_POLL_S)
            if waiting is not None:
                return waiting
            if self.session.stop.is_set():
                raise LeftOpen
            if time.monotonic() > deadline:
                msg = "the program was still at work"
                raise OutOfTime(msg, retryable=False)
            fault = self.program.fault()  # None while the program runs.
            if fault is not None and self._calls.none_waits:
                raise fault

    def finish(self, text: str, *, failed: bool) -> None:
        """End the trial: `text` is the result of the running call, and later calls are refused."""
        self._calls.end()
        self._end_call(text, failed=failed)

    def _end_call(self, text: str, *, failed: bool) -> None:
        """Set the result of the running call, if there is one."""
        if self._running_call is not None:
            self._running_call.end(text, failed=failed)
            self._running_call = None


def solver_by_calls(
    program_for: Callable[[TrialSession], _CallingProgram],
) -> SolverSpec:
    """Return a solver that lets a program, which `program_for` returns, work on each trial."""

    def open_solver(tools: SolverTools) -> _ServedSolver:
        return _ServedSolver(tools, program_for)

    # The program writes the scripts, so no model is asked (no `roles`), and no player that
    # writes scripts by rules can take a model's place.
    return SolverSpec(open_solver, roles=(), plays_scripts=False)


@dataclass(frozen=True, slots=True)
class _ServedSolver:
    """A solver that lets a program work on each trial by calling tools."""

    tools: SolverTools
    """What the loop needs: the sandbox and its settings."""
    program_for: Callable[[TrialSession], _CallingProgram]
    """Returns the program that works on a trial."""

    def solve(self, session: TrialSession) -> str:
        """Serve the trial until it is over. Return why there is no answer, or an empty text.

        Raises `LeftOpen` if the run stops before that, so that the trial can be resumed.
        """
        program = self.program_for(session)
        turns = _ProgramTurns(session, program)
        loop = CitedLoop(turns, self.tools.sandbox_server(), self.tools.loop)
        try:
            no_answer_reason = loop.solve(session)
            if no_answer_reason:
                turns.finish(f"{OVER} ({no_answer_reason})", failed=True)
            else:
                turns.finish(_farewell(session), failed=False)
        except BaseException:
            turns.finish(OVER, failed=True)
            raise
        finally:
            program.stop()
        return no_answer_reason
