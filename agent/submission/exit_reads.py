"""Makes the calls that rules ask for while a submission is judged: they only read, and are bounded and written down.

They are the exit's: the solver sees nothing of them, and they make nothing citable. A submission that was judged before
is answered from its record alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

from agent.events.call_records import CallFailure, ExitCall
from agent.events.trial_events import ExitCallDone, ExitCallSent
from agent.evidence.path_aliases import MAX_PATH_CHARS
from agent.evidence.recorder import Recorder
from gates.reading import ReadLimits
from sandbox.interface import Plain, bound_arguments, error_codes

SIDE_BY_SIDE: Final = 8
"""Calls that are under way at once, in an environment that allows it."""
MAX_KEPT_CHARS: Final = 2_000_000
"""Characters of results that are kept for later submissions of a trial."""
UNBOUNDED: Final = ReadLimits(cpu_s=float("inf"), wall_s=float("inf"))
"""What a replay may use: how long it took is in the record."""


class OutOfTime(Exception):
    """The wall-clock time for the reads of a submission is over."""


@dataclass(slots=True)
class KeptReads:
    """What the exit has read in a trial since the last call that may have changed something."""

    calls: dict[str, ExitCall] = field(default_factory=dict)
    since: int = 0
    """Tells what is kept now from what was forgotten."""
    _changes: int = 0
    _chars: int = 0

    def forget_changed(self, changes: int) -> None:
        """Forget what was read before the latest of so many changes."""
        if changes != self._changes or self._chars > MAX_KEPT_CHARS:
            self.calls, self.since, self._changes, self._chars = {}, self.since + 1, changes, 0

    def keep(self, call: ExitCall) -> None:
        """Keep a call that succeeded."""
        if call.result is not None:
            self.calls[_key(call)] = call
            self._chars += _chars_of(call.result)


def _chars_of(result: Mapping[str, Plain]) -> int:
    try:
        return len(to_json(result))
    except PydanticSerializationError:  # A lone surrogate.
        return len(json.dumps(result))


class ExitReads:
    """The reads for one submission."""

    def __init__(self, recorder: Recorder, kept: KeptReads, limits: ReadLimits | None = None) -> None:
        trace = recorder.trace
        self._recorder = recorder
        self._kept = kept
        self._submission = len(trace.submissions)
        self._is_live = not recorder.only_recorded and self._submission >= len(trace.record.submissions)
        self.limits = (limits or ReadLimits()) if self._is_live else UNBOUNDED
        self._deadline = time.monotonic() + self.limits.wall_s
        self._asked = 0
        kept.forget_changed(recorder.changes)
        judged = trace.record.submissions[self._submission :][:1]
        self.recorded_reasons = {verdict.name: verdict.reason for each in judged for verdict in each.verdicts}
        """The reasons of gates and rules when the submission was first judged, by their names."""
        recorded = [each for each in trace.record.exit_calls if each.submission == self._submission]
        self._recorded: dict[str, ExitCall] = {}
        for each in takewhile(_has_outcome, recorded):
            self._recorded[_key(each)] = each
            self._take(each)

    @property
    def kept_since(self) -> int:
        """The number of the last change: what was read before it is not known any more."""
        return self._kept.since

    def count_known(self, calls: int) -> None:
        """Count calls that the aide answered from what it had been told for earlier submissions."""
        self._asked += calls

    @property
    def left_s(self) -> float:
        """Seconds that are left."""
        return self._deadline - time.monotonic()

    def answers(self, wanted: Iterable[tuple[str, Mapping[str, Any]]]) -> list[ExitCall]:
        """Return each wanted call with its outcome, in their order. Raises `OutOfTime`."""
        calls = [self._checked(operation, arguments) for operation, arguments in wanted]
        known = [call if call.error else self._known(call) for call in calls]
        made = iter(self._make([call for call, each in zip(calls, known, strict=True) if each is None]))
        return [each or next(made) for each in known]

    def _checked(self, operation: str, arguments: Mapping[str, Any]) -> ExitCall:
        """Return the call with every argument; one that is refused holds its error."""
        self._asked += 1
        surface = self._recorder.surface
        declared = surface.operation(operation)
        given = dict(arguments)
        if declared is None or declared.finds:
            return self._refused(operation, given, f"there is no operation {operation}")
        try:
            given = bound_arguments(declared, (), given)
        except TypeError as error:
            return self._refused(operation, given, str(error))
        subject = str(given.get(declared.subject, ""))
        if len(subject) > MAX_PATH_CHARS:
            return self._refused(operation, given, f"a path has at most {MAX_PATH_CHARS} characters")
        if surface.may_change(operation, given):
            return self._refused(operation, given, f"{operation} {subject} is not declared to only read")
        if self._asked > self.limits.calls:
            return self._refused(operation, given, f"a submission is judged by at most {self.limits.calls} calls")
        return ExitCall(operation=operation, arguments=given, submission=self._submission)

    def _refused(self, operation: str, arguments: dict[str, Plain], why: str) -> ExitCall:
        error = CallFailure(code=error_codes.PERMISSION_DENIED, message=why)
        return ExitCall(operation=operation, arguments=arguments, submission=self._submission, error=error)

    def _known(self, call: ExitCall) -> ExitCall | None:
        """Return the call as the record or an earlier submission holds it; None if it is to be made."""
        key = _key(call)
        known = self._recorded.get(key) or self._kept.calls.get(key)
        if known is None and not self._is_live:
            error = CallFailure(code=error_codes.UNAVAILABLE, message="the record holds no such call")
            return call.model_copy(update={"error": error})
        return known

    def _make(self, calls: Sequence[ExitCall]) -> list[ExitCall]:
        """Make calls, side by side where the environment allows it, and write them down in their order."""
        if calls and self._recorder.surface.reads_side_by_side:
            return self._make_side_by_side(calls)
        made = []
        for call in calls:
            if self.left_s <= 0:
                raise OutOfTime
            number = self._send(call, 0)
            made.append(self._receive(number, self._recorder.make(call)))
        return made

    def _make_side_by_side(self, calls: Sequence[ExitCall]) -> list[ExitCall]:
        executor = ThreadPoolExecutor(SIDE_BY_SIDE)
        try:
            begun = [
                (self._send(call, place), call, executor.submit(self._recorder.make, call))
                for place, call in enumerate(calls)
            ]
            made = [self._receive(number, self._awaited(call, future)) for number, call, future in begun]
        finally:
            executor.shutdown(wait=False, cancel_futures=True)  # A call that is late is left to itself.
        if self.left_s <= 0:
            raise OutOfTime
        return made

    def _awaited(self, call: ExitCall, future: Future[ExitCall]) -> ExitCall:
        try:
            return future.result(max(self.left_s, 0))
        except TimeoutError:
            late = f"no answer within the {self.limits.wall_s:g} s of a submission"
            return call.model_copy(update={"error": CallFailure(code=error_codes.DEADLINE_EXCEEDED, message=late)})

    def _send(self, call: ExitCall, place: int) -> int:
        """Write down that a call is made, the one behind `place` others that are under way; return its number."""
        recorder, number = self._recorder, len(self._recorder.trace.exit_calls) + place
        sent = ExitCallSent(
            trial_id=recorder.trial_id,
            step=recorder.trace.number,
            submission=self._submission,
            number=number,
            operation=call.operation,
            arguments=call.arguments,
        )
        recorder.emit(sent)
        return number

    def _receive(self, number: int, call: ExitCall) -> ExitCall:
        recorder = self._recorder
        done = ExitCallDone(
            trial_id=recorder.trial_id,
            step=recorder.trace.number,
            number=number,
            result=call.result,
            error=call.error,
            elapsed_ms=call.elapsed_ms,
        )
        recorder.emit(done)
        self._take(call)
        return call

    def _take(self, call: ExitCall) -> None:
        self._kept.keep(call)
        self._recorder.trace.exit_calls.append(call.model_copy(update={"result": {}}) if call.result else call)


def _key(call: ExitCall) -> str:
    return json.dumps([call.operation, call.arguments], sort_keys=True)


def _has_outcome(call: ExitCall) -> bool:
    return call.result is not None or call.error is not None
