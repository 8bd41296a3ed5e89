"""Turns the request of a benchmark's function for a call into this call, or refuses it.

A function, such as `books_by(author)`, is code of the benchmark that runs in another process. To
compute its result, it asks the trial for calls. It might ask for anything, but may only read:

    ("read", {"path": "/books/b1.json"})   -> the call, which is sent
    ("write", {"path": "/a.md", ...})      -> CallError: write is not declared to only read
    ("read", {"file": "/books/b1.json"})   -> CallError: read has no argument file
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.agent.evidence.calls.planned_call import planned_call
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    bound_arguments,
    error_codes,
)

Request: TypeAlias = tuple[str, Mapping[str, Plain]]
"""The operation that a function asks for, with its arguments."""


def requested_call(
    request: Request, tool_schema: ToolSchema, function: NumberedCall | None
) -> CallRecord | CallError:
    """Return the call that a function asks for, or the error with which it is refused.

    `function` is the call of the function that asks. If it is number 3 of the step, then the
    returned call has the `outer` 3, so that the journal says who asked for it.
    """
    operation, arguments = request
    declared = tool_schema.operation(operation)
    if declared is None:
        return _refusal(operation)
    try:
        arguments = bound_arguments(declared, (), dict(arguments))
    except CallError as error:
        return error  # It has an argument that the operation does not have.
    if not tool_schema.is_plain_read(operation, arguments):
        return _refusal(operation)
    return planned_call(
        operation,
        arguments,
        in_verify=function is not None and function.call.in_verify,
        outer=None if function is None else function.number,
    )


def _refusal(operation: str) -> CallError:
    """Return the error of a call that may change something, or that is not declared at all."""
    msg = f"{operation} is not declared to only read"
    return CallError(error_codes.PERMISSION_DENIED, msg)
