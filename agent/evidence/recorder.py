"""Makes the calls of a trial: each is recorded and becomes evidence.

Calls that only read may be under way side by side; their results are taken in the order in which they were sent, so the
record does not depend on which of them returns first. Where a trial is lived again, the tape answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

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
    """A call that is recorded as sent."""

    number: int
    call: CallRecord
    """The call without its outcome."""
    wait: Callable[[], CallRecord] | None
    """Returns the outcome, until it was asked for."""
    is_begun: bool
    """True if the call is being made beside others; else it is made when its outcome is asked for."""
    is_announced: bool
    """True if the journal holds the request."""
    made: CallRecord | None = None
    """The call with its outcome, once the outcome was asked for."""


class Recorder:
    """A trial's environment with a record of every call. Used by one thread at a time."""

    def __init__(
        self,
        trial_id: str,
        environment: Environment,
        emit: Emit,
        *,
        worker: Worker | None = None,
        tape: Tape | None = None,
    ) -> None:
        """`tape` holds the steps that are gone through again; by default there are none."""
        self.worker = worker
        """Computes on texts that were read; without a worker this process does."""
        self.trial_id = trial_id
        self.environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self.tape = given_or_empty(tape)
        self.journal = TapedJournal(self.tape, emit)
        self.calls_made = TapedCalls(self.tape, LiveCalls(environment))
        self.evidence_log = EvidenceLog(self.tool_schema)
        self.trace = TrialStep()
        """The current step."""
        self.notes: list[str] = []
        """Notes for the script about the calls of the current step."""
        self.emit = emit
        self._under_way = 0
        self._argument_room = MOST_ARGUMENT_CHARS
        self._outer: CallUnderWay | None = None
        """The function call that is being computed."""
        self.checks = CallChecks(
            self.tool_schema, self.evidence_log, self, self.journal, TapedUser(self.tape)
        )
        """Asked before a call that may change something is sent."""

    @property
    def call_origins(self) -> CallOrigins:
        """Where the values of the trial come from."""
        return self.checks.call_origins

    @property
    def functions(self) -> Functions | None:
        """Runs the environment's functions; without it none can be called."""
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
        self._under_way = 0
        self._argument_room = MOST_ARGUMENT_CHARS

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a call. Raises `CallError`."""
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
        if self._outer is not None:
            (outcome,) = self.call_all([(operation, plain_arguments)])
            if isinstance(outcome, CallError):
                raise outcome
            return dict(outcome)
        if declared is not None and declared.finds:
            return self._find(declared, plain_arguments, in_verify=in_verify)
        return self.receive(self.send(operation, plain_arguments, in_verify=in_verify))

    def refuse(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        code: str,
        reason: str,
        *,
        in_verify: bool,
    ) -> None:
        """Record a call that is refused before it is sent, so that it is refused again in a replay.
        Raises `CallError`."""
        failure = CallFailure(code=code, message=reason)
        record = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            state="not_made",
            error=failure,
        )
        number = len(self.calls) + self._under_way
        record = self.calls_made.refused(self.trace.number, number, record)
        self._write_call(number, record, was_announced=False)
        self.add_call(record)

    def send(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        begins: bool = False,
    ) -> CallUnderWay:
        """Record a call as sent, and make it at once, beside others, if it `begins`; else it is made when it is
        received. Raises `CallError` for a call that is not the recorded one."""
        call = self._request(operation, arguments, in_verify=in_verify)
        number = len(self.calls) + self._under_way
        recorded = self.calls_made.recorded(self.trace.number, number, call)
        is_announced = self._announce(number, call)
        wait = self.calls_made.begin(call, recorded, is_beside=begins)
        self._under_way += 1
        is_begun = begins and self.tool_schema.reads_side_by_side
        return CallUnderWay(number, call, wait, is_begun, is_announced)

    def _request(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> CallRecord:
        origins: dict[str, Any] = {}
        if self.tool_schema.may_change(operation, arguments):
            origins = dict(self.checks.origins)
        return CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            outer=self._outer.number if self._outer else None,
            origins=origins,
            state="under_way",
        )

    def _announce(self, number: int, call: CallRecord) -> bool:
        """Record a call before it is made, unless it only reads, so that it can be made again; return whether."""
        declared = self.tool_schema.operation(call.operation)
        only_reads = (
            declared is not None
            and not declared.finds
            and not self.tool_schema.may_change(call.operation, call.arguments)
        )
        if not only_reads:
            self._write_call(number, call, was_announced=False)
        return not only_reads

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call that only reads, if calls may be side by side, for the next step to make and record."""
        self.calls_made.begin_ahead(operation, arguments)

    def receive(self, sent: CallUnderWay, *, shown_chars: int | None = None) -> dict[str, Plain]:
        """Return the result of the earliest call under way, recorded and taken as evidence. Raises `CallError`."""
        record = self.outcome(sent)
        if shown_chars is not None:
            record = record.changed(shown_chars=shown_chars)
        self._under_way -= 1
        self._write_call(sent.number, record, was_announced=sent.is_announced)
        return self.add_call(record)

    def outcome(self, sent: CallUnderWay) -> CallRecord:
        """Return a call under way with its outcome, which `receive` has yet to record."""
        if sent.made is None:
            wait = sent.wait
            assert wait is not None
            sent.wait = None
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

    def _find(
        self, declared: Operation, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Have a function computed; its reads are recorded and are evidence, as if the solver had made them.

        The place of its own call comes before those of its reads, which are evidence first. Raises `CallError`.
        """
        call = self._request(declared.name, arguments, in_verify=in_verify)
        number = len(self.calls)
        recorded = self.calls_made.recorded(self.trace.number, number, call)

        def compute() -> dict[str, Plain]:
            return self._computed(declared, arguments)

        reads = self.calls_made.inner_calls(self.trace.number, number)

        def repeat_read(read: CallRecord) -> None:
            self.call_all([(read.operation, read.arguments)])

        self._announce(number, call)
        self.calls.append(call)
        self._outer = CallUnderWay(number, call, None, is_begun=False, is_announced=True)
        try:
            record = self.calls_made.compute(call, recorded, reads, compute, repeat_read)
        finally:
            self._outer = None
        self._write_call(number, record, was_announced=True)
        return self.add_call(record, number=number)

    def _computed(self, declared: Operation, arguments: dict[str, Plain]) -> dict[str, Plain]:
        functions = self.functions
        if functions is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        known = self.checks.shown_files if declared.name == self.checks.check_name else ()

        def compute() -> Mapping[str, Plain]:
            return functions.compute(declared.finds, arguments, known)

        return plain_result(declared.name, compute)

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls of a function, side by side if the environment allows it, and return their outcomes."""
        outcomes: list[Mapping[str, Plain] | CallError] = []
        sent: list[CallUnderWay | CallError] = []
        try:
            for operation, arguments in calls:
                if len(sent) >= SIDE_BY_SIDE:
                    earlier = sent[-SIDE_BY_SIDE]
                    if isinstance(earlier, CallUnderWay):
                        self.outcome(earlier)
                sent.append(self._send_checked(operation, arguments))
            for call in sent:
                if isinstance(call, CallError):
                    outcomes.append(call)
                    continue
                try:
                    outcomes.append(self.receive(call))
                except CallError as error:
                    outcomes.append(error)
        finally:
            self.await_calls(call for call in sent if isinstance(call, CallUnderWay))
        return outcomes

    def _send_checked(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | CallError:
        """Begin a call of a function, or return why it may not be made: a function only reads, and asks no other."""
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
        in_verify = self._outer is not None and self._outer.call.in_verify
        return self.send(operation, whole_arguments, in_verify=in_verify, begins=True)

    def add_call(self, record: CallRecord, *, number: int | None = None) -> dict[str, Plain]:
        """Take a call as evidence, and return its result. Raises `CallError` for a call that failed.

        `number` is the number of a function's call, which already has its place.
        """
        # The result is in the journal and in the evidence; all results of a step would be too much to hold.
        kept = record.changed(result=record.result and {})
        if not self._has_room_for(record.arguments):
            kept = kept.changed(arguments={})
        if number is None:
            self.calls.append(kept)
        else:
            self.calls[number] = kept
        if record.state == "not_made" and record.error:
            raise CallError(record.error.code, record.error.message)
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
        if record.error:  # Not `error`: this frame and the exception would keep each other alive, with all arguments.
            raise CallError(record.error.code, record.error.message)
        return record.result or {}

    def _note_arguments(self, record: CallRecord) -> None:
        """Tell the script of arguments that do not fit their schema, if the tool was left to judge
        them."""
        declared = self.tool_schema.operation(record.operation)
        if declared is None:
            return
        for note in argument_notes(declared, record.arguments):
            if note not in self.notes:
                self.notes.append(note)

    def _has_room_for(self, arguments: Mapping[str, object]) -> bool:
        """Say whether the step may hold a call's arguments, and count them."""
        for argument in arguments.values():
            words = argument if isinstance(argument, list) else [argument]
            for word in words:
                self._argument_room -= CHARS_BESIDE_AN_ARGUMENT
                if isinstance(word, str):
                    self._argument_room -= len(word)
        return self._argument_room >= 0

    def _is_of_check(self, record: CallRecord) -> bool:
        """Say whether a call is the pre-call check's, or one that it made."""
        outermost = record if record.outer is None else self.calls[record.outer]
        check_name = self.checks.check_name
        return bool(check_name) and outermost.operation == check_name

    def _add_call_of_check(self, record: CallRecord) -> dict[str, Plain]:
        """Take a call of the pre-call check, or one that it asked for, without making it evidence."""
        if record.error:
            raise CallError(record.error.code, record.error.message)
        if record.operation == self.checks.check_name and (record.result or {}).get("value"):
            self.evidence_log.record_function_result(
                record.operation, record.arguments, record.result
            )
        return record.result or {}

    def take_calls(self, step: TrialStep) -> None:
        """Take the recorded calls of a whole step as evidence, without making them, and what was said before each, in
        the order in which they were made."""
        inner = step.inner_calls
        for number, record in enumerate(step.calls):
            self._take_checks(step, number)
            if record.outer is not None:
                continue
            if number not in inner:
                self.take_call(record)
                continue
            self.calls.append(record)
            for read in inner[number]:
                self.take_call(read)
            with suppress(CallError):
                self.add_call(record, number=number)
        self._take_checks(step, len(step.calls))

    def _take_checks(self, step: TrialStep, number: int) -> None:
        """Take into account what was decided about the call of this number before it was sent, or was to be."""
        for approval in step.approvals:
            if approval.number == number:
                self.checks.take_approval(approval)
        for stopped in step.stopped:
            if stopped.number == number:
                self.checks.take_stopped(stopped)

    def take_call(self, record: CallRecord) -> None:
        """Take a recorded call as evidence, without making it."""
        with suppress(CallError):
            self.add_call(record)

    def take_citation(self, citation: Citation) -> None:
        """Take a recorded citation into account: its quotation is evidence."""
        self.trace.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.add_quotation(citation.spelling, citation.quote)

    def take_calls_of_verify(self) -> None:
        """Take as evidence the recorded calls of a `verify` that was asked then and is not asked now."""
        for call in self.calls_made.calls_of_verify(self.trace.number, len(self.calls)):
            self.take_call(call)
