"""Every environment call of a trial goes through here: made, written down before and after, and turned into evidence.

Given calls that were recorded before, it answers from them instead of calling, in order; that is how a trial is run
again, and how it goes on after an interruption. Calls that only read may be under way side by side; what comes of them
is taken in the order in which they were sent, so that the record is the same whichever comes back first.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Final

from agent.events.call_records import CallFailure, CallRecord
from agent.events.trial_events import CallDone, CallSent, Emit
from agent.evidence.environment import Environment
from agent.evidence.evidence_log import EvidenceLog
from sandbox.interface import CallError, Plain, Surface, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"


@dataclass(frozen=True, slots=True)
class Divergence:
    """A script made another call than the recorded one."""

    number: int
    recorded: str
    made: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: `result`, or `error`."""

    result: dict[str, Plain] | None
    error: CallError | None
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class CallUnderWay:
    """A call that is written down as sent."""

    number: int
    operation: str
    arguments: dict[str, Plain]
    in_verify: bool
    outcome: Callable[[], Outcome]
    """Wait for it, or make the call now if nobody else does."""


class Recorder:
    """A trial's environment as solvers see it: the same calls, with a trace. Used by one thread at a time."""

    def __init__(self, trial_id: str, environment: Environment, emit: Emit) -> None:
        self.trial_id = trial_id
        self.environment = environment
        self.surface: Surface = environment.surface
        self.evidence_log = EvidenceLog(self.surface)
        self.step = 0
        self.calls: list[CallRecord] = []
        """The calls of the current step."""
        self._under_way = 0
        self.notes: list[str] = []
        """What the script should be told about its calls of this step."""
        self.divergence: Divergence | None = None
        """The first call that was not the recorded one, where calls are answered from a record."""
        self._emit = emit
        self._recorded: deque[CallRecord] = deque()
        self._only_recorded = False

    def begin_step(self, step: int, recorded: Iterable[CallRecord] = (), *, only_recorded: bool = False) -> None:
        """Start the trace of a step. `recorded` calls are answered from the record; then, unless only they may be made,
        calls are made again. A record with neither result nor error is a call that was cut off."""
        self.step = step
        self.calls = []
        self._under_way = 0
        self.notes = []
        self._recorded = deque(recorded)
        self._only_recorded = only_recorded

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        shown_chars: int | None = None,
    ) -> dict[str, Plain]:
        """Make a call, or take its recorded result. Raises `CallError`."""
        plain = dict(arguments)
        if self._recorded or self._only_recorded:
            return self._from_record(operation, plain, in_verify=in_verify)
        return self.receive(self.send(operation, plain, in_verify=in_verify), shown_chars=shown_chars)

    def send(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        executor: Executor | None = None,
    ) -> CallUnderWay:
        """Write down that a call is made, and begin it on `executor`; without one it is made as it is received."""
        number, plain = len(self.calls) + self._under_way, dict(arguments)
        self._emit(
            CallSent(
                trial_id=self.trial_id,
                step=self.step,
                number=number,
                operation=operation,
                arguments=plain,
                in_verify=in_verify,
            )
        )
        make = partial(self._make, operation, plain)
        outcome = make if executor is None else executor.submit(make).result
        self._under_way += 1
        return CallUnderWay(number, operation, plain, in_verify, outcome)

    def receive(self, call: CallUnderWay, *, shown_chars: int | None = None) -> dict[str, Plain]:
        """Return the result of the earliest call under way, written down and taken as evidence. Raises `CallError`."""
        outcome = call.outcome()
        self._under_way -= 1
        error = outcome.error
        failed = CallFailure(code=error.code, message=error.message) if error else None
        self._emit(
            CallDone(
                trial_id=self.trial_id,
                step=self.step,
                number=call.number,
                result=outcome.result,
                error=failed,
                elapsed_ms=outcome.elapsed_ms,
            )
        )
        record = CallRecord(
            operation=call.operation,
            arguments=call.arguments,
            in_verify=call.in_verify,
            result=outcome.result,
            error=failed,
            shown_chars=shown_chars,
            elapsed_ms=outcome.elapsed_ms,
        )
        return self._take(record)

    def _make(self, operation: str, arguments: dict[str, Plain]) -> Outcome:
        started = time.perf_counter()
        result: dict[str, Plain] | None = None
        failure: CallError | None = None
        try:
            result = self.environment.call(operation, arguments)
        except CallError as error:
            failure = error
        return Outcome(result, failure, round((time.perf_counter() - started) * 1000, 3))

    def _from_record(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        number = len(self.calls)
        made = f"{operation}({arguments})"
        record = self._recorded.popleft() if self._recorded else None
        if record is None or (record.operation, record.arguments, record.in_verify) != (
            operation,
            arguments,
            in_verify,
        ):
            known = f"{record.operation}({record.arguments})" if record else "no further call"
            self.divergence = self.divergence or Divergence(number, known, made)
            msg = "the script made another call than the recorded one"
            raise CallError(error_codes.INTERNAL, msg)
        if record.result is None and record.error is None:
            if not (self._only_recorded or self.surface.may_change(operation, arguments)):
                return self.call(operation, arguments, in_verify=in_verify)
            record = record.model_copy(update={"error": CallFailure(code=error_codes.UNKNOWN, message=LOST)})
        return self._take(record)

    def _take(self, record: CallRecord) -> dict[str, Plain]:
        self.calls.append(record)
        error = CallError(record.error.code, record.error.message) if record.error else None
        notes = self.evidence_log.record(
            record.operation,
            record.arguments,
            record.result,
            error,
            in_verify=record.in_verify,
            shown_chars=record.shown_chars,
        )
        self.notes.extend(notes)
        if error:
            raise error
        return dict(record.result or {})

    def replay(self, records: Sequence[CallRecord]) -> None:
        """Take recorded calls of the opening or of a step as evidence, without making them."""
        for record in records:
            try:
                self._take(record)
            except CallError:
                continue
        self.calls = []
        self.notes = []
