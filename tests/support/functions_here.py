"""Functions of a benchmark computed in this process, for tests that are about what they find."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from controlplane.agent.evidence import Environment, Recorder
from controlplane.sandbox.child.step.harness import function_harness
from controlplane.sandbox.functions import Call, Outcome, run_function
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, plain_result


def compute(
    function: str,
    arguments: Mapping[str, Plain],
    tool_schema: ToolSchema,
    call_all: Callable[[Sequence[Call]], list[Outcome]],
    known: Sequence[Any] = (),
) -> dict[str, Any]:
    """Return what a function finds by the calls that `call_all` makes. Raises `CallError`."""

    def call(operation: str, positional: list[Any], named: dict[str, Any]) -> Any:
        msg = f"functions call side by side, not {operation} alone"
        raise AssertionError(msg)

    def call_side_by_side(calls: Sequence[Call]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for outcome in call_all(calls):
            outcomes.append(
                outcome if isinstance(outcome, CallError) else dict(outcome)
            )
        return outcomes

    executables = {
        executable.path: executable.summary for executable in tool_schema.executables
    }
    module = function.partition(":")[0]
    harness = function_harness(
        tool_schema.operations, call, call_side_by_side, executables, known
    )
    return run_function({module: import_module(module)}, function, harness, arguments)


class FunctionsHere:
    """What runs the functions of a recorder's environment in this process."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[Any] = ()
    ) -> dict[str, Any]:
        return compute(
            function,
            arguments,
            self._recorder.tool_schema,
            self._recorder.functions.call_all,
            known,
        )


def with_functions(recorder: Recorder) -> Recorder:
    """Return the recorder, whose environment's functions this process runs."""
    recorder.functions.runner = FunctionsHere(recorder)
    return recorder


def found(
    environment: Environment, function: str, **arguments: Plain
) -> tuple[dict[str, Any], int]:
    """Return what a declared function finds, and how many calls it made. Raises `CallError`."""
    made = 0

    def call_all(calls: Sequence[Call]) -> list[Outcome]:
        nonlocal made
        made += len(calls)
        outcomes: list[Outcome] = []
        for operation, given in calls:
            try:
                outcomes.append(
                    plain_result(
                        operation, partial(environment.call, operation, dict(given))
                    )
                )
            except CallError as error:
                outcomes.append(error)
        return outcomes

    declared = environment.tool_schema.operation(function)
    assert declared is not None
    return compute(declared.finds, arguments, environment.tool_schema, call_all), made
