"""The calls of a trial with their times: what was sent is joined with what came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from controlplane.agent.events import CallDone, CallFailure, CallSent
from controlplane.journal.journal_reader import RecordedTrial


@dataclass(frozen=True, slots=True)
class TimedCall:
    """One call of the environment that came back."""

    step: int
    number: int
    operation: str
    arguments: Mapping[str, JsonValue]
    result: Mapping[str, JsonValue] | None
    error: CallFailure | None
    at_ms: int
    """When it came back."""
    elapsed_ms: float


def timed_calls(recorded: RecordedTrial) -> Iterator[TimedCall]:
    """Yield the calls of a trial in the order in which they came back.

    A call that may change something is recorded twice: before it is sent, and with its result.
    """
    sent: dict[tuple[int, int], CallSent] = {}
    for event in recorded.events():
        if isinstance(event, CallSent):
            sent[event.step, event.number] = event
        elif isinstance(event, CallDone):
            request: CallSent | CallDone | None = event
            if not event.operation:
                request = sent.pop((event.step, event.number), None)
            if request is not None:
                yield TimedCall(
                    step=event.step,
                    number=event.number,
                    operation=request.operation,
                    arguments=request.arguments or {},
                    result=event.result,
                    error=event.error,
                    at_ms=event.at_ms,
                    elapsed_ms=event.elapsed_ms,
                )
