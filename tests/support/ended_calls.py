"""Calls that have ended, as evidence: `add_call(log, "read", {"path": "/a.md"}, {"content": "7"})`."""

from collections.abc import Mapping
from typing import Any

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence import EvidenceLog
from controlplane.sandbox.interface import CallError


def add_call(
    log: EvidenceLog,
    operation: str,
    arguments: Mapping[str, Any],
    result: Mapping[str, Any] | None = None,
    error: CallError | None = None,
    shown_chars: int | None = None,
) -> tuple[str, ...]:
    """Add a call with its result or its error to the evidence. Return the notes for the model.

    `shown_chars` of the result are shown by the first message; None for a call of a script.
    """
    call = CallRecord.planned(log.tool_schema, operation, arguments)
    if error is not None:
        call = call.failed(error, elapsed_ms=0.0)
    elif result is not None:
        call = call.made(dict(result), elapsed_ms=0.0)
    return log.add_call(call.changed(shown_chars=shown_chars))
