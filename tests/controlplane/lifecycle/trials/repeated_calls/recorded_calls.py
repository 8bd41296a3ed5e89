"""Recorded calls of a trial, and a new environment in which they are made again."""

from collections.abc import Mapping

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    Plain,
    ToolSchema,
)

LOOK = FILE_OPERATIONS[0]._replace(name="look", effect=Effect.READS)
"""An operation that only reads."""
PUT = LOOK._replace(name="put", effect=Effect.ACTS)
"""An operation that changes something."""
FIND_ALL = LOOK._replace(name="find_all", effect=Effect.NONE, finds="a.module:function")
"""A function of the benchmark: it only computes, from results of other calls."""


class NewEnvironment:
    """Has no file, so that calls with a path fail, and keeps the names of the called operations."""

    tool_schema = ToolSchema((LOOK, PUT, FIND_ALL))

    def __init__(self) -> None:
        self.called: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.called.append(operation)
        if "path" in arguments:
            raise CallError("not_found", "there is no such file")
        return {"number": len(self.called)}


def completed_call(operation: str) -> CallRecord:
    """Return the record of a call that returned `{"number": 1}`."""
    return CallRecord(operation=operation, arguments={}, result={"number": 1})


def failed_look(code: str) -> CallRecord:
    """Return the record of a read of the file `a` that failed with this error code."""
    return CallRecord(
        operation="look",
        arguments={"path": "a"},
        state="failed",
        error=CallFailure(code=code, message=""),
    )
