"""What is known of the effects of calls: whether they may change the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.sandbox.interface.executables import ExecutableKind
from controlplane.sandbox.interface.operations import Effect, Operation
from controlplane.sandbox.interface.plain_data import Plain

_CHANGING_EFFECTS: Final = frozenset(
    {Effect.WRITES, Effect.DELETES, Effect.MOVES, Effect.ACTS, Effect.UNDECLARED}
)
"""The effects of calls that may change the world. An undeclared effect counts
as one of them. `EXECUTES` is not among them: such a call is judged
by the tool that it runs (`run_may_change`)."""


def call_may_change(operation: Operation) -> bool:
    """Return True if a call may change the world, other than by running a tool."""
    if operation.is_function:  # which only reads
        return False
    return operation.effect in _CHANGING_EFFECTS


def run_may_change(kind: ExecutableKind, arguments: Mapping[str, Plain]) -> bool:
    """Return True if the run of a tool of this kind may change the world.

    Asking a tool for its `--help` changes nothing.
    """
    if kind is ExecutableKind.READS:
        return False
    only_asks_for_help = arguments.get("args") == ["--help"]
    return not only_asks_for_help


def is_effect_undeclared(operation: Operation) -> bool:
    """Return True if the environment does not say what an operation does.

    Functions of the benchmark only read.
    """
    return operation.effect is Effect.UNDECLARED and not operation.is_function


def is_change_doubtful(operation: Operation) -> bool:
    """Return True if an operation counts as a change although it may only read.

    Its effect is undeclared, or only an assumption (`Operation.is_undeclared`), as for a tool
    of an MCP server that does not say what it does.
    """
    if is_effect_undeclared(operation):
        return True
    return operation.is_undeclared and call_may_change(operation)


def as_read(operation: Operation) -> Operation:
    """Return the declaration of an operation that only reads, as the user states.

    Operations that write, delete or move files are declared precisely, so they stay.
    """
    if operation.effect in (Effect.ACTS, Effect.UNDECLARED):
        return operation._replace(effect=Effect.RETURNS, is_undeclared=False)
    return operation
