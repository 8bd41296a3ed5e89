"""Makes the calls of a trial: each is recorded and becomes evidence.

Calls in the record of an earlier attempt are answered from it, in order; this is how a trial is run again, and how it
continues after an interruption. Calls that only read may be under way side by side; their results are taken in the
order in which they were sent, so the record does not depend on which of them returns first.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Protocol, runtime_checkable

from controlplane.agent.events import (
    AgentEvent,
    CallDone,
    CallFailure,
    CallOutcome,
    CallRecord,
    CallRequest,
    CallSent,
    CallStopped,
    Citation,
    Emit,
    StepRecord,
    StepTrace,
)
from controlplane.agent.evidence.call_checks import CallChecks, KnownCall
from controlplane.agent.evidence.call_origins import CallOrigins
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.gates.submission import quote
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    ToolSchema,
    bound_arguments,
    bounds,
    error_codes,
    guarded,
    plain_result,
)

SIDE_BY_SIDE: Final = 16
"""Max calls of one function under way at a time."""
LOST: Final = "the call was cut off; whether it happened is not known"


class Environment(Protocol):
    """The runtime of one trial: its files and tools, reached by declared operations. One thread uses it at a time."""

    @property
    def tool_schema(self) -> ToolSchema:
        """The operations, executables, rules document and initial calls, as data; the same for a whole trial."""
        ...

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call and return its result fields. Raises `controlplane.sandbox.interface.operations.CallError`.

        Any other exception, and a result that is not a mapping of JSON's types, fails the call with code `internal`.
        """
        ...

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`; code `already_exists` means that one was given before."""
        ...

    def now(self) -> datetime | None:
        """Return the environment's own clock (timezone-aware), or None if it has none."""
        ...


@runtime_checkable
class Waiting(Protocol):
    """An environment that waits for a platform, but begins no wait of a call after `ends_at` (monotonic seconds)."""

    ends_at: float


@runtime_checkable
class SideBySide(Environment, Protocol):
    """An environment that allows several calls at a time, which its tool schema declares by `reads_side_by_side`."""

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call that only reads, and return a function that waits for its result, as `call` does. The same
        thread calls it, and may begin others in between."""
        ...


class Functions(Protocol):
    """Runs the functions that a benchmark declares, away from this process: `sandbox.Sandbox`."""

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[KnownCall] = ()
    ) -> Mapping[str, Plain]:
        """Return what a function (`module:name`) finds; its calls come back meanwhile, but those whose results are
        known. Raises `CallError`."""
        ...


@dataclass(slots=True)
class CallUnderWay:
    """A call that is recorded as sent."""

    number: int
    call: CallRecord
    """The call without its outcome."""
    begun: Callable[[], CallRecord] | None
    """Waits for the outcome, until the outcome was asked for; None: the call is made when its outcome is asked for."""
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
        only_recorded: bool = False,
    ) -> None:
        """Answer only from the record if `only_recorded`: a call that the record lacks then fails."""
        self.worker = worker
        """Computes on texts that were read; without a worker this process does."""
        self.functions: Functions | None = None
        """Runs the environment's functions; without it none can be called, but the record answers for them."""
        self.trial_id = trial_id
        self.environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self._beside = (
            environment
            if self.tool_schema.reads_side_by_side and isinstance(environment, SideBySide)
            else None
        )
        self.evidence_log = EvidenceLog(self.tool_schema)
        self.trace = StepTrace()
        """The current step."""
        self.only_recorded = only_recorded
        self.is_rebuilt = False
        """The environment was made anew for a resumed trial: a call that was cut off had no effect in it."""
        self.emit = emit
        self._under_way = 0
        self._ahead: dict[tuple[str, str], Callable[[], CallRecord]] = {}
        """Calls that were begun before the step that makes them, by operation and arguments."""
        self._outer: CallUnderWay | None = None
        """The function call that is being computed."""
        self.checks = CallChecks(self.tool_schema, self.evidence_log, self)
        """Asked before a call that may change something is sent."""

    @property
    def call_origins(self) -> CallOrigins:
        """Where the values of the trial come from."""
        return self.checks.call_origins

    @property
    def is_recorded(self) -> bool:
        """True if the next call of the step stands in the record."""
        return self.only_recorded or len(self.calls) < len(self.trace.record.calls)

    @property
    def calls(self) -> list[CallRecord]:
        """The calls of the current step, without the fields of their results."""
        return self.trace.calls

    def begin_step(self, number: int, record: StepRecord | None = None) -> None:
        """Start the trace of a step, whose calls are answered from `record` as far as the record goes."""
        self.trace = StepTrace(number, record=record or StepRecord())
        self._under_way = 0

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a call, or take its recorded result. Raises `CallError`."""
        plain = dict(arguments)
        declared = self.tool_schema.operation(operation)
        subject = plain.get(declared.subject) if declared else None
        if isinstance(subject, str) and len(subject) > bounds.MOST_PATH_CHARS:
            msg = f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(subject)}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        if self._outer is not None:
            (outcome,) = self.call_all([(operation, plain)])
            if isinstance(outcome, CallError):
                raise outcome
            return dict(outcome)
        if self.is_recorded:
            return self._from_record(operation, plain, in_verify=in_verify)
        sent = self.send(operation, plain, in_verify=in_verify)
        return self._find(declared, sent) if declared and declared.finds else self.receive(sent)

    def emit_stopped(self, event: CallStopped) -> None:
        """Record that a call was stopped, or what became of it."""
        self.emit(event)

    def _emit(self, kind: Callable[..., AgentEvent], number: int, **fields: Any) -> None:
        """Emit an event of the current step."""
        self.emit(kind(trial_id=self.trial_id, step=self.trace.number, number=number, **fields))

    def send(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        begins: bool = False,
    ) -> CallUnderWay:
        """Record a call as sent, and make it at once if `begins`; else it is made when it is received."""
        number = len(self.calls) + self._under_way
        outer = self._outer.number if self._outer else None
        origins: dict[str, Any] = {}
        if self.tool_schema.may_change(operation, arguments):
            origins = dict(self.checks.origins)
        call = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            outer=outer,
            origins=origins,
        )
        is_announced = self._is_written_ahead(operation, call.arguments)
        if is_announced:
            request = {name: getattr(call, name) for name in CallRequest.model_fields}
            self._emit(CallSent, number, **request)
        self._under_way += 1
        return CallUnderWay(number, call, self._begin(call) if begins else None, is_announced)

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call that only reads, if calls may be side by side, for the next step to make and record."""
        call = CallRecord(operation=operation, arguments=dict(arguments))
        if not self.tool_schema.may_change(operation, arguments) and (begun := self._begin(call)):
            self._ahead[operation, str(call.arguments)] = begun

    def receive(self, sent: CallUnderWay, *, shown_chars: int | None = None) -> dict[str, Plain]:
        """Return the result of the earliest call under way, recorded and taken as evidence. Raises `CallError`."""
        record = self.outcome(sent)
        if shown_chars is not None:
            record = _changed(record, shown_chars=shown_chars)
        self._under_way -= 1
        self._emit_done(record, sent)
        return self._add_call(record)

    def outcome(self, sent: CallUnderWay) -> CallRecord:
        """Return a call under way with its outcome, which `receive` has yet to record."""
        if sent.made is None:
            begun, sent.begun, call = sent.begun, None, sent.call
            compute = partial(self.environment.call, call.operation, dict(call.arguments))
            sent.made = (
                begun() if begun else _done(call, partial(plain_result, call.operation, compute))
            )
        return sent.made

    def _begin(self, call: CallRecord) -> Callable[[], CallRecord] | None:
        """Begin a call beside others and return a function that waits for it; None if the environment cannot."""
        if self._beside is None:
            return None
        if begun_ahead := self._ahead.pop((call.operation, str(call.arguments)), None):
            return begun_ahead
        started = time.perf_counter()
        try:
            begun = guarded(
                call.operation, partial(self._beside.begin, call.operation, dict(call.arguments))
            )
        except CallError as error:
            failed = _done(call, partial(_fail, error), started)
            return lambda: failed
        return lambda: _done(call, partial(plain_result, call.operation, begun), started)

    def await_calls(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait for calls whose results are no longer needed, because work on the trial ends."""
        for begun in [*(call.begun for call in calls if call.begun), *self._ahead.values()]:
            with suppress(Exception):  # The error that already ended the trial is reported.
                begun()
        self._ahead.clear()

    def _is_written_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> bool:
        """Say whether a call is recorded before it is made: unless it only reads, so that it can be made again."""
        declared = self.tool_schema.operation(operation)
        return (
            declared is None
            or bool(declared.finds)
            or self.tool_schema.may_change(operation, arguments)
        )

    def _emit_done(self, record: CallRecord, sent: CallUnderWay) -> None:
        fields = vars(record)
        if sent.is_announced:
            fields = {name: fields[name] for name in CallOutcome.model_fields}
        self._emit(CallDone, sent.number, **fields)

    def _from_record(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        number, recorded = len(self.calls), self.trace.record.calls
        record = recorded[number] if number < len(recorded) else None
        repeated = operation, arguments, in_verify
        if record is None or (record.operation, record.arguments, record.in_verify) != repeated:
            recorded_call = (
                f"{record.operation}({record.arguments})" if record else "no further call"
            )
            self.trace.differs(f"calls[{number}]", recorded_call, f"{operation}({arguments})")
            msg = "the script made another call than the recorded one"
            raise CallError(error_codes.INTERNAL, msg)
        declared = self.tool_schema.operation(operation)
        if record.result is None and record.error is None:
            is_lost = self.tool_schema.may_change(operation, arguments) and not (
                self.is_rebuilt and "." not in operation
            )
            if not (self.only_recorded or is_lost):
                # The function's reads up to then are made again.
                self.trace.record = replace(self.trace.record, calls=list(recorded[:number]))
                sent = self.send(operation, arguments, in_verify=in_verify)
                return (
                    self._find(declared, sent)
                    if declared and declared.finds
                    else self.receive(sent)
                )
            lost = CallFailure(code=error_codes.UNKNOWN, message=LOST)
            self._emit(CallDone, number, error=lost)
            record = _changed(record, error=lost)
        if declared and declared.finds:
            self.calls.append(
                record
            )  # Its place comes before the function's reads, which are evidence first.
            self.add_calls(
                itertools.takewhile(lambda call: call.outer == number, recorded[number + 1 :])
            )
            return self._add_call(record, number=number)
        return self._add_call(record)

    def _find(self, declared: Operation, sent: CallUnderWay) -> dict[str, Plain]:
        """Have a function computed; its reads are recorded and are evidence, as if the solver had made them."""
        self._under_way -= 1
        self.calls.append(sent.call)
        self._outer = sent

        def compute() -> dict[str, Plain]:
            if (functions := self.functions) is None:
                raise CallError(
                    error_codes.INTERNAL, f"there is no process here that could run {declared.name}"
                )
            known = self.checks.shown_files if declared.name == self.checks.check_name else ()
            return plain_result(
                declared.name, lambda: functions.compute(declared.finds, sent.call.arguments, known)
            )

        try:
            record = _done(sent.call, compute)
        finally:
            self._outer = None
        self._emit_done(record, sent)
        return self._add_call(record, number=sent.number)

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls of a function, side by side if the environment allows it, and return their outcomes."""
        outcomes: list[Mapping[str, Plain] | CallError] = []
        sent: list[CallUnderWay | CallError] = []
        try:
            for operation, given in calls:
                if len(sent) >= SIDE_BY_SIDE and isinstance(
                    earlier := sent[-SIDE_BY_SIDE], CallUnderWay
                ):
                    self.outcome(earlier)
                sent.append(self._send_checked(operation, given))
            for call in sent:
                try:
                    outcomes.append(self.receive(call) if isinstance(call, CallUnderWay) else call)
                except CallError as error:
                    outcomes.append(error)
        finally:
            self.await_calls(call for call in sent if isinstance(call, CallUnderWay))
        return outcomes

    def _send_checked(self, operation: str, given: Mapping[str, Plain]) -> CallUnderWay | CallError:
        """Begin a call of a function, or return why it may not be made: a function only reads, and asks no other."""
        declared = self.tool_schema.operation(operation)
        try:
            arguments = bound_arguments(declared, (), dict(given)) if declared else {}
        except CallError as error:
            return error
        if declared is None or declared.finds or self.tool_schema.may_change(operation, arguments):
            return CallError(
                error_codes.PERMISSION_DENIED, f"{operation} is not declared to only read"
            )
        in_verify = self._outer is not None and self._outer.call.in_verify
        return self.send(operation, arguments, in_verify=in_verify, begins=True)

    def _add_call(self, record: CallRecord, *, number: int | None = None) -> dict[str, Plain]:
        """Take a call as evidence; `number` is the number of a function, which already has its place."""
        # The result is in the journal and in the evidence; all results of a step would be too much to hold.
        arguments = record.arguments if self.trace.has_room_for(record.arguments) else {}
        at = len(self.calls) if number is None else number
        self.calls[at : at + 1] = [
            _changed(record, arguments=arguments, result=record.result and {})
        ]
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
        self.trace.notes.extend(notes)
        if record.error:  # Not `error`: this frame and the exception would keep each other alive, with all arguments.
            raise CallError(record.error.code, record.error.message)
        return record.result or {}

    def _is_of_check(self, record: CallRecord) -> bool:
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

    def add_citations(self, citations: Iterable[Citation]) -> None:
        """Take the quotations of recorded citations as evidence."""
        for citation in citations:
            if citation.quote and citation.spelling:
                self.evidence_log.add_quotation(citation.spelling, citation.quote)

    def add_calls(self, records: Iterable[CallRecord]) -> None:
        """Add recorded calls to the evidence, without making them."""
        for record in records:
            try:
                self._add_call(record)
            except CallError:
                continue

    def add_calls_of_verify(self) -> None:
        """Take as evidence the recorded calls of a `verify` that was asked then and is not asked now."""
        left = self.trace.record.calls[len(self.calls) :]
        self.add_calls(itertools.takewhile(lambda call: call.in_verify, left))


def _done(
    call: CallRecord, compute: Callable[[], dict[str, Plain]], started: float | None = None
) -> CallRecord:
    """Return the call with the result of `compute`, or with the `CallError` that it raises, and the time it took.

    `started` is the moment at which it began; by default, now.
    """
    if started is None:
        started = time.perf_counter()
    outcome: dict[str, object] = {}
    try:
        outcome["result"] = compute()
    except CallError as error:
        outcome["error"] = CallFailure(code=str(error.code), message=str(error.message))
    outcome["elapsed_ms"] = round((time.perf_counter() - started) * 1000, 3)
    return _changed(call, **outcome)


def _changed(call: CallRecord, **fields: object) -> CallRecord:
    """Return a call with other values, which are not checked: in half the time of `model_copy`."""
    return CallRecord.model_construct(**vars(call) | fields)


def _fail(error: CallError) -> dict[str, Plain]:
    raise error
