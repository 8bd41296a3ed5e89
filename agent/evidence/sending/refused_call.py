"""A call of a trial that is refused before it is sent, as the journal has it.

A call is refused if its path is too long, or if the trial has no calls left:

    refused_call("read", {"path": "/a.md"}, "resource_exhausted", "the trial has made 4 calls")
        -> read("/a.md")  not made: the trial has made 4 calls
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import Operation, Plain, bounds


def refused_call(
    operation: str,
    arguments: Mapping[str, Plain],
    code: str,
    reason: str,
    *,
    in_verify: bool,
) -> CallRecord:
    """Return a call that is not sent for a reason. `code` is one of `error_codes`.

    `in_verify` is true if a script's `verify`, its own check of its answer, makes the call.
    """
    return CallRecord(
        operation=operation,
        arguments=dict(arguments),
        in_verify=in_verify,
        state="not_made",
        error=CallFailure(code=code, message=reason),
    )


def fault_of_path(declared: Operation | None, arguments: Mapping[str, Plain]) -> str:
    """Return a message if the path argument of a call is too long; empty if it is not."""
    path = None if declared is None else arguments.get(declared.subject)
    if not isinstance(path, str) or len(path) <= bounds.MOST_PATH_CHARS:
        return ""
    return f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(path)}"
