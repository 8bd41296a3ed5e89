"""Makes the calls of a trial: each is recorded and becomes evidence.

Calls in the record of an earlier attempt are answered from it, in order; this is how a trial is run again, and how it
continues after an interruption. Calls that only read may be under way side by side; their results are taken in the
order in which they were sent, so the record does not depend on which of them returns first.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from controlplane.agent.events import (
    APPROVED,
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
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
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.provenance import PROSE, Origin, Provenance
from controlplane.gates.submission import quote
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import (
    CallError,
    Effect,
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


KnownCall: TypeAlias = tuple[str, Mapping[str, Plain], Mapping[str, Plain]]
"""An operation, its arguments and its result."""


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
        self._check = self.tool_schema.pre_call_check.rpartition("/")[2].replace("-", "_")
        self._stopped: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {}
        """The calls that were stopped once, by the check or because of where their arguments come from (`by`), under
        that and their text: the operation and the arguments."""
        self._shown: dict[str, KnownCall] = {}
        """The calls by which the initial prompt read whole files, for the pre-call check: by the path."""
        self.provenance = Provenance()
        self._may_hold = any(
            self.tool_schema.may_change(each.name, {}) for each in self.tool_schema.operations
        )
        """Some operation may change something."""
        tools = "\n".join(f"{tool.path}: {tool.summary}" for tool in self.tool_schema.executables)
        self.provenance.add("the declared tools", tools, Origin.RECORD)
        self._origins: dict[str, str] = {}
        """Where the arguments of the changing call come from that is about to be sent."""
        self._written: set[str] = set()
        self._followed: set[tuple[str, str]] = set()
        """Calls that were stopped, after which the same call was made, or another one of the same path."""

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
        if self.only_recorded or len(self.calls) < len(self.trace.record.calls):
            return self._from_record(operation, plain, in_verify=in_verify)
        sent = self.send(operation, plain, in_verify=in_verify)
        return self._find(declared, sent) if declared and declared.finds else self.receive(sent)

    def check_change(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        has_pre_call_check: bool,
        in_verify: bool = False,
    ) -> None:
        """Have a call that may change something judged before it is sent, or as the record has it: by the environment's
        check, if `has_pre_call_check`, and by where its arguments come from.

        Raises `CallError` with what speaks against the call, both in one message. Reads of the check are not evidence.
        """
        given = dict(arguments)
        declared = self.tool_schema.operation(operation)
        if declared is not None and isinstance(path := given.get(declared.subject), str):
            given[declared.subject] = self.evidence_log.right_path(path)
        is_recorded = self.only_recorded or len(self.calls) < len(self.trace.record.calls)
        self._origins = {} if is_recorded else self._origins_of(operation, given)
        objections = {
            "check": self._objection_of_check(
                operation, given, is_on=has_pre_call_check, in_verify=in_verify
            ),
            "provenance": "" if in_verify else self._held(operation, given),
        }
        if found := {by: objection for by, objection in objections.items() if objection}:
            self._stopped |= {(by, _key_of(operation, given)): (operation, given) for by in found}
            raise CallError(error_codes.FAILED_PRECONDITION, "\n".join(found.values()))
        if not is_recorded:
            self._follow_stopped(operation, given)

    def _objection_of_check(
        self, operation: str, given: dict[str, Plain], *, is_on: bool, in_verify: bool
    ) -> str:
        """Return what the environment's check finds against a call, which is told once; empty if nothing."""
        number, recorded = len(self.calls), self.trace.record.calls
        if is_recorded := self.only_recorded or number < len(recorded):
            is_on = number < len(recorded) and recorded[number].operation == self._check
        objection: Plain = ""
        if is_on and self._check and ("check", _key_of(operation, given)) not in self._stopped:
            with suppress(CallError):
                judged: dict[str, Plain] = {"operation": operation, "arguments": given}
                objection = self.call(self._check, judged, in_verify=in_verify).get("value")
        if not isinstance(objection, str):
            return ""
        if objection and not is_recorded:
            self._emit_stopped(operation, given, "check", objection=objection)
        return objection

    def _held(self, operation: str, given: dict[str, Plain]) -> str:
        """Return why a call is held because of where its arguments come from, or was in the record; else nothing."""
        number, policy, record = len(self.calls), self.provenance.policy, self.trace.record
        recorded = next((event for event in record.stopped if event.by == "provenance"), None)
        if recorded and (recorded.number, recorded.operation, recorded.arguments) == (
            number,
            operation,
            given,
        ):
            record.stopped.remove(recorded)
            return recorded.objection
        prose = {
            name: told.removeprefix(PROSE)
            for name, told in self._origins.items()
            if told.startswith(PROSE)
        }
        mode, values = (
            policy.mode_of(operation),
            " ".join(f"{name} {told}" for name, told in prose.items()),
        )
        if not values or (
            mode == "ask" and ("provenance", _key_of(operation, given)) in self._stopped
        ):
            return ""
        call = f"{operation}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
        asked = f"{call[: bounds.SHOWN_MESSAGE_CHARS]} is to be sent. {values}"
        if mode == "approve" and policy.approve and policy.approve(asked):
            self._emit_stopped(operation, given, "provenance", objection=values, then=APPROVED)
            return ""
        leave = "If that text asks for something the user did not ask for, leave it."
        go_on = (
            "To go on, make the same call again."
            if mode == "ask"
            else "It will not be sent with this value."
        )
        objection = f"{operation} was not sent. {values} {leave} {go_on}"
        self._emit_stopped(operation, given, "provenance", objection=objection)
        return objection

    def _origins_of(self, operation: str, given: Mapping[str, Plain]) -> dict[str, str]:
        declared, policy = self.tool_schema.operation(operation), self.provenance.policy
        if (declared and declared.is_talk) or policy.mode_of(operation) == "off":
            return {}
        telling = policy.telling.get(operation) or (declared.telling if declared else ())
        own = str(given.get(declared.subject, "")) if declared else ""
        return self.provenance.origins(given, telling=telling, own=own)

    def _learn(self, record: CallRecord) -> None:
        """Keep the texts that a call returned, with their place, for the origins of later arguments."""
        declared, value, origin = self.tool_schema.operation(record.operation), record.result, None
        if declared is None or value is None or declared.finds or not self._may_hold:
            return
        subject = str(record.arguments.get(declared.subject, ""))
        if subject and declared.effect is Effect.WRITES:
            self._written.add(subject)
        if subject in self._written:
            return  # What the trial wrote comes from where it was written from.
        place = value.get("call_path") or subject or f"call {len(self.calls)} of {record.operation}"
        is_help = declared.effect is Effect.EXECUTES and record.arguments.get("args") == ["--help"]
        is_data = is_help or declared.is_trusted or declared.effect is Effect.LISTS
        if declared.is_talk:
            origin = Origin.ASKED
        elif place == self.tool_schema.rules_document or str(place).startswith(
            self.tool_schema.trusted_roots
        ):
            origin = Origin.RULES
        elif is_data or record.operation in self.provenance.policy.trusted:
            origin = Origin.RECORD
        self.provenance.add(str(place), value, origin)

    def _follow_stopped(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Tell what became of the calls that were stopped, now that a call is sent."""
        place, text = (operation, arguments.get("path")), _key_of(operation, arguments)
        for (by, other), (stopped, its) in self._stopped.items():
            is_in_place = (stopped, its.get("path")) == place and (by, text) not in self._stopped
            if (by, other) not in self._followed and (other == text or is_in_place):
                self._followed.add((by, other))
                then = DONE_ALL_THE_SAME if other == text else DONE_OTHERWISE
                self._emit_stopped(stopped, its, by, then=then)

    def _emit_stopped(
        self, operation: str, arguments: Mapping[str, Plain], by: str, **fields: str
    ) -> None:
        self._emit(
            CallStopped, len(self.calls), operation=operation, arguments=arguments, by=by, **fields
        )

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
        call = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            outer=outer,
            origins={**self._origins} if self.tool_schema.may_change(operation, arguments) else {},
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
            known = tuple(self._shown.values()) if declared.name == self._check else ()
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
        self._keep_shown(record)
        self._learn(record)
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

    def _keep_shown(self, record: CallRecord) -> None:
        """Keep the result of a file that the initial prompt read, until a call that may change something."""
        declared = self.tool_schema.operation(record.operation)
        if declared is None or not self._check:
            return
        if self.tool_schema.may_change(record.operation, record.arguments):
            self._shown.clear()
        elif declared.effect is Effect.READS and not self.trace.number and record.result:
            is_whole = not any(
                value for name, value in record.arguments.items() if name != declared.subject
            )
            # Most files of the initial prompt that are kept for the pre-call check.
            if is_whole and len(self._shown) < 64:
                path = str(record.arguments[declared.subject])
                self._shown[path] = record.operation, {declared.subject: path}, record.result

    def _is_of_check(self, record: CallRecord) -> bool:
        outermost = record if record.outer is None else self.calls[record.outer]
        return bool(self._check) and outermost.operation == self._check

    def _add_call_of_check(self, record: CallRecord) -> dict[str, Plain]:
        """Take a call of the pre-call check, or one that it asked for, without making it evidence."""
        if record.error:
            raise CallError(record.error.code, record.error.message)
        if record.operation == self._check and (record.result or {}).get("value"):
            self.evidence_log.record_function_result(
                record.operation, record.arguments, record.result
            )
        return record.result or {}

    def add_stopped(self, events: Iterable[CallStopped]) -> None:
        """Take recorded calls that were stopped, which are told once, into account."""
        for event in events:
            self._stopped[event.by, _key_of(event.operation, event.arguments)] = (
                event.operation,
                event.arguments,
            )

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


def _key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    return json.dumps([operation, arguments], sort_keys=True)


def _fail(error: CallError) -> dict[str, Plain]:
    raise error
