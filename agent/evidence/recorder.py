"""Makes the calls of a trial, records them, and adds their results to the evidence.

A resumed or replayed trial repeats recorded steps. The *tape* holds them, so its calls
get their outcomes from the tape and do not reach the environment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.events import (
    CallEvent,
    CallFailure,
    CallRecord,
    Citation,
    Emit,
)
from controlplane.agent.evidence.calls.argument_room import ArgumentRoom
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.function_calls import FunctionCalls
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.tape import Tape, TapedCalls, TapedJournal, TapedUser
from controlplane.agent.evidence.tape.tape import given_or_empty
from controlplane.agent.record.step_calls import calls_by_function
from controlplane.agent.record.trial_step import TrialStep
from controlplane.gates.submission import quote
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
)


class Recorder:
    """Makes the calls of one trial and records them.

    Created when a trial starts, and used by one thread at a time. `send` sends a call,
    and `receive` records its outcome. `call` does both. Calls are recorded in the order
    in which they were sent, so the record is the same in each run.
    """

    def __init__(
        self,
        trial_id: str,
        environment: Environment,
        emit: Emit,
        *,
        worker: Worker | None = None,
        tape: Tape | None = None,
    ) -> None:
        """`tape` has the recorded steps that the trial repeats. By default there are none."""
        self.trial_id = trial_id
        self.tool_schema: ToolSchema = environment.tool_schema
        self.worker = worker
        """A process that computes on texts from outside. Without it, this process does that."""

        self.tape = given_or_empty(tape)
        self.emit = emit
        """Writes every event to the journal. For events that are never repeated from the tape."""
        self.journal = TapedJournal(self.tape, emit)
        """Writes only those events to the journal that the tape does not have."""
        self.calls_made = TapedCalls(self.tape, LiveCalls(environment))
        """Makes a call in the environment, unless the tape has its outcome."""
        self.user = TapedUser(self.tape)
        """Asks the user about calls, unless the tape has the decision."""
        self.functions = FunctionCalls(self)
        """Runs the functions of the benchmark, which may make calls of their own."""

        self.evidence_log = EvidenceLog(self.tool_schema)
        """What the trial has read, written and executed so far."""
        self.checks = CallChecks(self)
        """Judges a call that may change something before it is sent."""
        self.learner = CallLearner(self)
        """Adds the outcome of each call to the evidence, and its texts to the origins."""

        self.trace = TrialStep()
        """What has happened in the current step."""
        self.notes: list[str] = []
        """Messages to the model about the calls of the current step."""
        self._argument_room = ArgumentRoom()
        """Limits the memory for the arguments of the step's calls."""

    @property
    def call_origins(self) -> CallOrigins:
        """Finds where the arguments of the trial's calls come from."""
        return self.checks.call_origins

    @property
    def calls(self) -> list[CallRecord]:
        """The calls of the current step, without their results."""
        return self.trace.calls

    def begin_step(self, number: int) -> None:
        """Start a step."""
        self.trace = TrialStep(number)
        self.notes = []
        self._argument_room = ArgumentRoom()

    # --- Making calls ---

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> dict[str, Plain]:
        """Make a call, record it, and return its result. Raises `CallError`.

        `origins` says where each argument of a changing call comes from:
        `{"amount": "asked"}` if the amount is in the user's request.
        """
        declared = self.tool_schema.operation(operation)
        path = arguments.get(declared.subject) if declared else None
        if isinstance(path, str) and len(path) > bounds.MOST_PATH_CHARS:
            msg = (
                f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(path)}"
            )
            code = error_codes.INVALID_ARGUMENT
            return self.refuse(operation, arguments, code, msg, in_verify=in_verify)

        if (
            self.functions.is_running
        ):  # Only the function that runs can make a call now.
            return self.functions.call(operation, arguments)
        if declared is not None and declared.is_function:
            return self._call_function(declared, arguments, in_verify=in_verify)
        sent = self.send(operation, arguments, in_verify=in_verify, origins=origins)
        return self.receive(sent)

    def send(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        runs_beside_others: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> CallUnderWay:
        """Send a call to the environment. `receive` waits for its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts at
        once if the environment allows several calls at a time. Otherwise it starts when
        its outcome is wanted.

        Raises `CallError` if this is a replay, and the call differs from the recorded one.
        """
        running = self.functions.running
        call = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            outer=None if running is None else running.number,
            origins=dict(origins or {}),
            state="under_way",
        )
        sent = self._announced(call)
        if sent.finished is None:  # No outcome is recorded, so the call is made now.
            live = self.calls_made.live
            sent.wait = live.begin(call, runs_beside_others=runs_beside_others)
            sent.is_running = runs_beside_others and self.tool_schema.reads_side_by_side
        return sent

    def _call_function(
        self, declared: Operation, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Call a function of the benchmark, which runs in another process. Return its result."""
        call = CallRecord(
            operation=declared.name,
            arguments=dict(arguments),
            in_verify=in_verify,
            state="under_way",
        )
        sent = self._announced(call)
        self.functions.run(sent, declared)
        return self.receive(sent)

    def _announced(self, call: CallRecord) -> CallUnderWay:
        """Give a call its place in the step, and announce it in the journal.

        If the process ends during the call, the announcement tells the next attempt
        that it may have happened. A plain read needs none: it can be made again.
        """
        number = len(self.calls)
        # The same call with its outcome, if the tape has it. It is then not made again.
        recorded = self.calls_made.recorded(self.trace.number, number, call)
        sent = CallUnderWay(number, call, finished=recorded)
        if not self.tool_schema.is_plain_read(call.operation, call.arguments):
            self._write_call(sent, call)
            sent.is_announced = True
        self.calls.append(call)
        return sent

    def refuse(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        code: str,
        reason: str,
        *,
        in_verify: bool,
    ) -> dict[str, Plain]:
        """Record a call that is not sent, and raise the reason as `CallError`.

        In a replay, the tape counts: if the recorded trial made this call, return the
        recorded result instead.
        """
        refused = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            state="not_made",
            error=CallFailure(code=code, message=reason),
        )
        number = len(self.calls)
        recorded_or_refused = self.calls_made.refused(
            self.trace.number, number, refused
        )
        self.calls.append(refused)
        sent = CallUnderWay(number, refused, finished=recorded_or_refused)
        return self.receive(sent)

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, record its outcome, and return its result.

        Raises `CallError`.

        Calls are received in the order in which they were sent. `shown_chars` is the
        number of characters of the result that the initial prompt shows.
        """
        call = sent.outcome()
        if shown_chars is not None:
            call = call.changed(shown_chars=shown_chars)
        self._write_call(sent, call)
        self._finish(sent.number, call)
        # No variable has the error: its traceback would keep all variables in memory.
        if call.error is not None:
            raise CallError(call.error.code, call.error.message)
        return call.result or {}

    def await_calls(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait until no call runs any longer, because the trial's work has ended."""
        for call in calls:
            call.await_end()
        # Calls of the initial prompt may have begun early, before they are needed.
        self.calls_made.live.await_ahead()

    def _write_call(self, sent: CallUnderWay, call: CallRecord) -> None:
        """Write the announcement or the outcome of a call to the journal."""
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=self.trace.number,
            number=sent.number,
            was_announced=sent.is_announced,
        )
        self.journal.call(event)

    def _finish(self, number: int, call: CallRecord) -> None:
        """Put a call with its outcome in its place in the step, and add it to the evidence."""
        # Only a part stays in memory: the result does not, and long arguments may not.
        self.calls[number] = self._argument_room.kept_part(call)
        self.learner.learn(call)

    # --- Adding recorded calls, without making them ---

    def restore_call(self, call: CallRecord) -> None:
        """Add a recorded call to the step and to the evidence."""
        place = len(self.calls)
        self.calls.append(call)
        self._finish(place, call)

    def restore_calls(self, step: TrialStep) -> None:
        """Add the recorded calls of a whole step, and the decisions about them.

        A function may have made *inner* calls. They come after its own call in the step,
        but ended before it. So it gets its place first, and its outcome last.
        """
        inner_calls = calls_by_function(step.calls)
        for number, call in enumerate(step.calls):
            self._restore_decisions(step, number)
            if call.outer is not None:
                continue  # An inner call. It is added with the function's own call.
            place = len(self.calls)
            self.calls.append(call)
            for inner_call in inner_calls.get(number, []):
                self.restore_call(inner_call)
            self._finish(place, call)
        # The last call of the step may have been stopped, so it is not in `calls`.
        self._restore_decisions(step, len(step.calls))

    def _restore_decisions(self, step: TrialStep, number: int) -> None:
        """Add the recorded decisions of the user and the checks about the call of this number."""
        for approval in step.approvals:
            if approval.number == number:
                self.checks.remember_approval(approval)
        for stopped in step.stopped:
            if stopped.number == number:
                self.checks.remember_stop(stopped)

    def restore_calls_of_verify(self) -> None:
        """Add the recorded calls of a script's `verify`, if the step has them next.

        `verify` is the script's own check of its answer. In a replay with stricter
        gates it may not run, but its recorded calls are still evidence.
        """
        for call in self.calls_made.calls_of_verify(self.trace.number, len(self.calls)):
            self.restore_call(call)

    def add_citation(self, citation: Citation) -> None:
        """Add a citation to the step, and its quotation to the evidence."""
        self.trace.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.add_quotation(citation.spelling, citation.quote)
