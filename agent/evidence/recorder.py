"""Makes the calls of a trial, records each of them, and takes what they return as evidence.

Calls that only read may be under way side by side. Their results are taken in the order in which they were sent, so the
record does not depend on which of them returns first. In a trial that repeats recorded steps, a call gets its recorded
outcome from the tape and does not reach the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import (
    CallEvent,
    CallFailure,
    CallRecord,
    Citation,
    Emit,
)
from controlplane.agent.evidence.call_checks import CallChecks
from controlplane.agent.evidence.call_origins import CallOrigins
from controlplane.agent.evidence.environment import (
    Environment,
    Functions,
    KnownCall,
    LiveCalls,
)
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.tape import Tape, TapedCalls, TapedJournal, TapedUser
from controlplane.agent.evidence.tape.tape import given_or_empty
from controlplane.agent.trial_record import TrialStep
from controlplane.gates.submission import quote
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    ToolSchema,
    argument_notes,
    bound_arguments,
    bounds,
    error_codes,
    plain_result,
)

SIDE_BY_SIDE: Final = 16
"""Max calls of one function under way at a time."""
MOST_ARGUMENT_CHARS: Final = 1_000_000
"""Characters of arguments that the step under way holds; those of later calls are only in their events."""
CHARS_BESIDE_AN_ARGUMENT: Final = 60
"""The memory of an argument beside its text, in characters."""


@dataclass(slots=True)
class CallUnderWay:
    """A call that was sent, and whose outcome is not recorded yet."""

    number: int
    """Counts the calls of the step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    wait: Callable[[], CallRecord] | None
    """Waits for the outcome and returns the call with it; None once that was done."""
    is_begun: bool
    """True if the call is being made beside others; else `wait` makes it."""
    is_announced: bool
    """True if the journal has a line that says that the call is about to be made."""
    made: CallRecord | None = None
    """The call with its outcome; None until somebody has waited for it."""


class Recorder:
    """Makes the calls of one trial and records them. Used by one thread at a time.

    A call of the solver has these stations: `send` announces it in the journal and begins it, `receive` waits for its
    outcome and writes it to the journal, and `add_call` takes it as evidence. `call` does all three at once.
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
        """`tape` has the recorded steps that the trial repeats; by default there are none."""
        self.trial_id = trial_id
        self.environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self.worker = worker
        """Computes on texts that were read; without a worker this process does."""

        self.tape = given_or_empty(tape)
        self.emit = emit
        """Writes an event to the journal, whether or not the tape has it."""
        self.journal = TapedJournal(self.tape, emit)
        """Writes an event to the journal, unless the tape has it."""
        self.calls_made = TapedCalls(self.tape, LiveCalls(environment))
        """Makes a call in the environment, unless the tape has its outcome."""

        self.evidence_log = EvidenceLog(self.tool_schema)
        """What the trial has read, written and executed so far."""
        self.checks = CallChecks(
            self.tool_schema, self.evidence_log, self, self.journal, TapedUser(self.tape)
        )
        """Judges a call that may change something before it is sent."""

        self.trace = TrialStep()
        """What has happened in the current step."""
        self.notes: list[str] = []
        """What the model is told about the calls of the current step."""
        self._under_way_count = 0
        """Calls of the current step that were sent and not received. The next call's number counts them, too."""
        self._argument_room = MOST_ARGUMENT_CHARS
        """Characters of arguments that the current step may still hold."""
        self._function_call: CallUnderWay | None = None
        """The call of a function that is being computed: the calls that come now are the function's."""

    @property
    def call_origins(self) -> CallOrigins:
        """Where the values of the trial come from."""
        return self.checks.call_origins

    @property
    def functions(self) -> Functions | None:
        """Runs the environment's functions; None if no function can be called."""
        return self.calls_made.live.functions

    @functions.setter
    def functions(self, functions: Functions | None) -> None:
        self.calls_made.live.functions = functions

    @property
    def calls(self) -> list[CallRecord]:
        """The calls of the current step, without the fields of their results."""
        return self.trace.calls

    def begin_step(self, number: int) -> None:
        """Start a step."""
        self.trace = TrialStep(number)
        self.notes = []
        self._under_way_count = 0
        self._argument_room = MOST_ARGUMENT_CHARS

    @property
    def _next_number(self) -> int:
        """The number of the next call in its step."""
        return len(self.calls) + self._under_way_count

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

        `origins` says where each argument comes from, for a call that may change something.
        """
        plain_arguments = dict(arguments)
        declared = self.tool_schema.operation(operation)
        subject = plain_arguments.get(declared.subject) if declared else None
        if isinstance(subject, str) and len(subject) > bounds.MOST_PATH_CHARS:
            msg = f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(subject)}"
            self.refuse(
                operation,
                plain_arguments,
                error_codes.INVALID_ARGUMENT,
                msg,
                in_verify=in_verify,
            )
        if self._function_call is not None:
            outcome = self.call_all([(operation, plain_arguments)])[0]
            if isinstance(outcome, CallError):
                raise outcome
            return dict(outcome)
        if declared is not None and declared.finds:
            return self._call_function(declared, plain_arguments, in_verify=in_verify)
        sent = self.send(operation, plain_arguments, in_verify=in_verify, origins=origins)
        return self.receive(sent)

    def refuse(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        code: str,
        reason: str,
        *,
        in_verify: bool,
    ) -> None:
        """Record a call that is not sent, so that it is refused again in a replay. Raises `CallError`."""
        failure = CallFailure(code=code, message=reason)
        record = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            state="not_made",
            error=failure,
        )
        number = self._next_number
        record = self.calls_made.refused(self.trace.number, number, record)
        self._write_call(number, record, was_announced=False)
        self.add_call(record)  # raises the failure

    def send(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        begins: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> CallUnderWay:
        """Send a call, and return it so that `receive` can wait for its outcome.

        With `begins` the call is made at once, beside others that are under way, if the environment allows that. Else
        `receive` makes it. Raises `CallError` if a replay makes another call than the recorded one.
        """
        call = self._new_call(operation, arguments, in_verify=in_verify, origins=origins)
        number = self._next_number
        recorded = self.calls_made.recorded(self.trace.number, number, call)
        is_announced = self._announce(number, call)
        wait = self.calls_made.begin(call, recorded, is_beside=begins)
        self._under_way_count += 1
        is_begun = begins and self.tool_schema.reads_side_by_side
        return CallUnderWay(number, call, wait, is_begun, is_announced)

    def _new_call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool,
        origins: Mapping[str, str] | None = None,
    ) -> CallRecord:
        """Return a call that is about to be made."""
        function_number = None
        if self._function_call is not None:
            function_number = self._function_call.number
        return CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            outer=function_number,
            origins=dict(origins or {}),
            state="under_way",
        )

    def _announce(self, number: int, call: CallRecord) -> bool:
        """Write to the journal that a call is about to be made; return False for a call that is not announced.

        The line tells a later attempt that the call may have happened, even if its outcome is not recorded. A call that
        only reads is not announced, since it can simply be made again.
        """
        declared = self.tool_schema.operation(call.operation)
        only_reads = (
            declared is not None
            and not declared.finds
            and not self.tool_schema.may_change(call.operation, call.arguments)
        )
        if only_reads:
            return False
        self._write_call(number, call, was_announced=False)
        return True

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call that only reads before the step that makes it, so that its outcome is there sooner.

        Nothing is recorded yet. Does nothing if the environment does not allow calls side by side.
        """
        self.calls_made.begin_ahead(operation, arguments)

    def receive(self, sent: CallUnderWay, *, shown_chars: int | None = None) -> dict[str, Plain]:
        """Wait for a call, record its outcome, take it as evidence, and return its result. Raises `CallError`.

        Calls are received in the order in which they were sent. `shown_chars` are the characters of the result that the
        initial prompt shows.
        """
        record = self.outcome(sent)
        if shown_chars is not None:
            record = record.changed(shown_chars=shown_chars)
        self._under_way_count -= 1
        self._write_call(sent.number, record, was_announced=sent.is_announced)
        return self.add_call(record)

    def outcome(self, sent: CallUnderWay) -> CallRecord:
        """Wait for a call and return it with its outcome, which is not recorded before `receive`."""
        if sent.made is None:
            assert sent.wait is not None
            wait = sent.wait
            sent.wait = None  # A call is made once, even if waiting for it raises.
            sent.made = wait()
        return sent.made

    def await_calls(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait for calls whose results are no longer needed, because work on the trial ends."""
        for call in calls:
            if call.is_begun and call.wait is not None:
                with suppress(Exception):  # The error that already ended the trial is reported.
                    self.outcome(call)
        self.calls_made.live.await_ahead()

    def _write_call(self, number: int, call: CallRecord, *, was_announced: bool) -> None:
        """Record a call of the current step that is about to be made, or that has an outcome."""
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=self.trace.number,
            number=number,
            was_announced=was_announced,
        )
        self.journal.call(event)

    # --- Functions: calls that make calls of their own ---

    def _call_function(
        self, declared: Operation, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Make a call of a function, and return what it computes. Raises `CallError`.

        The calls that the function makes only read. They are recorded after its own call and are evidence before it,
        as if the solver had made them.
        """
        call = self._new_call(declared.name, arguments, in_verify=in_verify)
        step = self.trace.number
        number = len(self.calls)
        recorded = self.calls_made.recorded(step, number, call)
        recorded_reads = self.calls_made.inner_calls(step, number)
        self._announce(number, call)
        self.calls.append(call)

        def compute() -> dict[str, Plain]:
            return self._computed(declared, arguments)

        def repeat_read(read: CallRecord) -> None:
            self.call_all([(read.operation, read.arguments)])

        self._function_call = CallUnderWay(number, call, None, is_begun=False, is_announced=True)
        try:
            record = self.calls_made.compute(call, recorded, recorded_reads, compute, repeat_read)
        finally:
            self._function_call = None
        self._write_call(number, record, was_announced=True)
        return self.add_call(record, number=number)

    def _computed(self, declared: Operation, arguments: dict[str, Plain]) -> dict[str, Plain]:
        """Have a function run in its process, and return what it finds. Raises `CallError`."""
        functions = self.functions
        if functions is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        known_calls: tuple[KnownCall, ...] = ()
        if declared.name == self.checks.check_name:
            known_calls = self.checks.shown_files

        def run_function() -> Mapping[str, Plain]:
            return functions.compute(declared.finds, arguments, known_calls)

        return plain_result(declared.name, run_function)

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls of a function, and return the result of each, or the error.

        They are made side by side if the environment allows it, at most `SIDE_BY_SIDE` at a time.
        """
        outcomes: list[Mapping[str, Plain] | CallError] = []
        sent: list[CallUnderWay | CallError] = []
        """The calls in their order; an error for one that may not be made."""
        try:
            for operation, arguments in calls:
                if len(sent) >= SIDE_BY_SIDE:
                    self._wait_for(sent[-SIDE_BY_SIDE])
                sent.append(self._send_for_function(operation, arguments))
            for call in sent:
                outcomes.append(self._received_or_error(call))
        finally:
            self.await_calls(call for call in sent if isinstance(call, CallUnderWay))
        return outcomes

    def _wait_for(self, call: CallUnderWay | CallError) -> None:
        if isinstance(call, CallUnderWay):
            self.outcome(call)

    def _received_or_error(self, call: CallUnderWay | CallError) -> Mapping[str, Plain] | CallError:
        if isinstance(call, CallError):
            return call
        try:
            return self.receive(call)
        except CallError as error:
            return error

    def _send_for_function(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | CallError:
        """Send a call of a function, or return why it may not be made: a function only reads, and calls no other."""
        declared = self.tool_schema.operation(operation)
        whole_arguments: Mapping[str, Plain] = {}
        try:
            if declared is not None:
                whole_arguments = bound_arguments(declared, (), dict(arguments))
        except CallError as error:
            return error
        may_change = self.tool_schema.may_change(operation, whole_arguments)
        if declared is None or declared.finds or may_change:
            msg = f"{operation} is not declared to only read"
            return CallError(error_codes.PERMISSION_DENIED, msg)
        in_verify = self._function_call is not None and self._function_call.call.in_verify
        return self.send(operation, whole_arguments, in_verify=in_verify, begins=True)

    # --- Taking calls as evidence ---

    def add_call(self, record: CallRecord, *, number: int | None = None) -> dict[str, Plain]:
        """Take a call with its outcome as evidence, and return its result. Raises `CallError` if the call failed.

        `number` is that of a function's call, which is in `calls` already, before the calls that it made.
        """
        self._keep_in_step(record, number)
        if record.state == "not_made":
            _raise_failure(record)
        if self._is_of_check(record):
            return self._add_call_of_check(record)

        self.checks.keep_shown_file(record)
        self.call_origins.learn(record)
        error = CallError(record.error.code, record.error.message) if record.error else None
        notes = self.evidence_log.record(
            record.operation,
            record.arguments,
            record.result,
            error,
            shown_chars=record.shown_chars,
        )
        self.notes.extend(notes)
        self._note_arguments(record)
        _raise_failure(record)
        return record.result or {}

    def _keep_in_step(self, record: CallRecord, number: int | None) -> None:
        """Add a call to the calls of the step, or put it in the place of this number.

        The fields of the result are left out, since all results of a step would be too much to hold: they are in the
        journal and in the evidence. So are the arguments once the step holds too many.
        """
        kept = record
        if record.result:
            kept = kept.changed(result={})
        if not self._has_room_for(record.arguments):
            kept = kept.changed(arguments={})
        if number is None:
            self.calls.append(kept)
        else:
            self.calls[number] = kept

    def _note_arguments(self, record: CallRecord) -> None:
        """Note which arguments do not fit their schema, if the tool itself decides what it accepts."""
        declared = self.tool_schema.operation(record.operation)
        if declared is None:
            return
        for note in argument_notes(declared, record.arguments):
            if note not in self.notes:
                self.notes.append(note)

    def _has_room_for(self, arguments: Mapping[str, object]) -> bool:
        """Take the size of a call's arguments from the room of the step; return False if there is no room left."""
        for argument in arguments.values():
            items = argument if isinstance(argument, list) else [argument]
            for item in items:
                self._argument_room -= CHARS_BESIDE_AN_ARGUMENT
                if isinstance(item, str):
                    self._argument_room -= len(item)
        return self._argument_room >= 0

    def _is_of_check(self, record: CallRecord) -> bool:
        """Say whether a call is one of the pre-call check, which is a function, or one that the check made."""
        outermost = record
        if record.outer is not None:
            outermost = self.calls[record.outer]
        check_name = self.checks.check_name
        return bool(check_name) and outermost.operation == check_name

    def _add_call_of_check(self, record: CallRecord) -> dict[str, Plain]:
        """Return the result of the pre-call check, or of a call that it made. Raises `CallError`.

        What the check reads is not evidence. What it objects is kept as the result of a function.
        """
        _raise_failure(record)
        result = record.result or {}
        if record.operation == self.checks.check_name and result.get("value"):
            self.evidence_log.record_function_result(
                record.operation, record.arguments, record.result
            )
        return result

    # --- Taking over what is recorded ---

    def take_calls(self, step: TrialStep) -> None:
        """Take the recorded calls of a whole step as evidence, without making them.

        What was decided about a call before it was sent is taken before the call.
        """
        calls_of_functions = step.inner_calls
        for number, record in enumerate(step.calls):
            self._take_decisions(step, number)
            if record.outer is not None:
                continue  # It is taken with the call of its function.
            if number in calls_of_functions:
                self._take_function_call(number, record, calls_of_functions[number])
            else:
                self.take_call(record)
        # Calls that were stopped after the last one have the number that the next call would have.
        self._take_decisions(step, len(step.calls))

    def _take_function_call(
        self, number: int, record: CallRecord, reads: Sequence[CallRecord]
    ) -> None:
        """Take a recorded call of a function, and the calls that the function made, which are evidence before it."""
        self.calls.append(record)
        for read in reads:
            self.take_call(read)
        with suppress(CallError):
            self.add_call(record, number=number)

    def _take_decisions(self, step: TrialStep, number: int) -> None:
        """Take over what the user and the checks decided about the call of this number before it was sent."""
        for approval in step.approvals:
            if approval.number == number:
                self.checks.take_approval(approval)
        for stopped in step.stopped:
            if stopped.number == number:
                self.checks.take_stopped(stopped)

    def take_call(self, record: CallRecord) -> None:
        """Take one recorded call as evidence, without making it."""
        with suppress(CallError):
            self.add_call(record)

    def take_citation(self, citation: Citation) -> None:
        """Add a citation to the step; its quotation becomes evidence."""
        self.trace.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.add_quotation(citation.spelling, citation.quote)

    def take_calls_of_verify(self) -> None:
        """Take the recorded calls of a script's `verify` as evidence, if they come next in the record of the step.

        `verify` is asked only about a submission that the other gates accept. If these accepted it when the step was
        recorded and do not accept it in a replay, the calls that `verify` made then are evidence all the same.
        """
        for call in self.calls_made.calls_of_verify(self.trace.number, len(self.calls)):
            self.take_call(call)


def _raise_failure(record: CallRecord) -> None:
    """Raise the failure of a call as `CallError`; do nothing if the call has none.

    The error is made here, so that no variable of the caller holds it: the error holds the caller's frame, and with
    the frame all arguments of the call would stay in memory.
    """
    if record.error is not None:
        raise CallError(record.error.code, record.error.message)
