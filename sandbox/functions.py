"""A benchmark's functions: library code that makes calls through `harness`.

A function runs in a trial's script process. It takes `harness` and its declared
arguments, and returns a `FunctionResult`. Its calls only read, and are recorded like
those of a script. Its result comes from an untrusted process, like everything that a
script returns. It calls no other declared function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION, CallError
from controlplane.sandbox.interface.operations import Plain

_Value = TypeVar("_Value")

Call: TypeAlias = tuple[str, Mapping[str, Any]]
"""An operation and its arguments by name."""

Outcome: TypeAlias = "Mapping[str, Any] | CallError"
"""The result fields of a call, or why it failed."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A file that supports a function result."""

    path: str
    reason: str
    """The reason for its citation, in a few words that name something found there."""


@dataclass(frozen=True, slots=True)
class FunctionResult(Generic[_Value]):
    """The result of a function: a value, and the references in the order of citation."""

    value: _Value
    refs: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()
    """One sentence for everything that was not certain; empty if all of the value is certain."""


class CannotRead(CallError):
    """The workspace or the data has a form that a function does not know.

    The message says which.
    """

    def __init__(self, message: str) -> None:
        super().__init__(FAILED_PRECONDITION, message)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[type[CannotRead], tuple[str]]:  # type: ignore[override] # one argument
        """Return how to copy the error: by `CannotRead(message)`.

        A `CallError` is copied with its code, which this class does not take.
        """
        return CannotRead, (self.message,)


class Harness(Protocol):
    """`harness` as a function has it: the operations by name, but no `answer` and no `tools`."""

    executables: Mapping[str, str]
    """The purpose of each declared tool, in a few words, by its path."""

    known: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]]
    """Calls that the trial has made already, so that a function need not repeat them.

    `("read", {"path": "/a.md"}, {"content": "…"})`: the operation, its arguments, its result
    """

    def side_by_side(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls that only read, and return their outcomes in order.

        They are made at once if the environment allows it.
        """
        ...

    def __getattr__(self, name: str) -> Any: ...


def run_function(
    functions: Mapping[str, ModuleType],
    name: str,
    harness: Harness,
    arguments: Mapping[str, Any],
) -> dict[str, Plain]:
    """Run the function `module:name` of a loaded module, and return the fields of its result.

    `{"value": 12, "refs": [{"path": "/a.md", "reason": "..."}], "notes": []}`. Raises
    `LookupError` for a module that is not loaded, and whatever the function raises.
    """
    module_name, _, function_name = name.partition(":")
    if module_name not in functions:
        msg = f"the module of the function {name} is not loaded here"
        raise LookupError(msg)
    function: Callable[..., FunctionResult[Any]] = getattr(
        functions[module_name], function_name
    )
    result = function(harness, **arguments)

    refs: list[Plain] = []
    for reference in result.refs:
        refs.append({"path": reference.path, "reason": reference.reason})
    return {"value": result.value, "refs": refs, "notes": list(result.notes)}
