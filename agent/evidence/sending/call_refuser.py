"""Refuses calls of a trial before they are sent, and writes each to the journal.

A call is refused if its path is too long, or if the trial has no calls left:

    refuse("read", {"path": "/a.md"}, "resource_exhausted", "the trial has made 4 calls")
        -> in the journal: number 4  read("/a.md")  not made: the trial has made 4 calls
        -> raises CallError, which the script sees

If the process of the trial was killed, the next one repeats the recorded steps. There, the record
counts: a call that was sent then has its result, even if the trial has no calls left today.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.sending.call_recorder import CallRecorder
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import Operation, Plain, bounds


@dataclass(frozen=True, slots=True)
class CallRefuser:
    """Refuses calls of one trial, and writes each to the journal."""

    recorder: CallRecorder
    """Writes calls to the journal, and knows which are recorded already."""

    def refuse(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        code: str,
        reason: str,
        *,
        in_verify: bool,
    ) -> dict[str, Plain]:
        """Write to the journal that a call is not sent, and raise `CallError` with the reason.

        If the call was sent when its step was recorded, return its recorded result instead.

        `code` is one of `error_codes`. `in_verify` is true if a script's `verify`, its own check
        of its answer, makes the call.
        """
        refused = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            state="not_made",
            error=CallFailure(code=code, message=reason),
        )
        numbered = self.recorder.add_call(refused)
        outcome = numbered.recorded_outcome or refused
        return self.recorder.add_outcome(numbered, outcome)


def fault_of_path(declared: Operation | None, arguments: Mapping[str, Plain]) -> str:
    """Return a message if the path argument of a call is too long; empty if it is not."""
    path = None if declared is None else arguments.get(declared.subject)
    if not isinstance(path, str) or len(path) <= bounds.MOST_PATH_CHARS:
        return ""
    return f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(path)}"
