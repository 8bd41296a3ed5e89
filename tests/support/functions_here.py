"""Computes functions of a benchmark in the process of the test, for tests of what they return.

A function of a benchmark, such as `stock_at`, reads the environment for the model, and returns a
value with references: `{"value": 3, "refs": [...], "notes": [...]}`. In a run, a child process
(the sandbox) computes it, and each call that it makes goes from there to the parent process,
which has the environment. Here both sides are this process, and the calls are made directly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from controlplane.agent.evidence import Environment, Recorder
from controlplane.sandbox.child.step.harness.harness import function_harness
from controlplane.sandbox.functions import Call, Outcome, run_function
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, plain_result


def compute(
    function: str,
    arguments: Mapping[str, Plain],
    tool_schema: ToolSchema,
    call_all: Callable[[Sequence[Call]], list[Outcome]],
    known: Sequence[Any] = (),
) -> dict[str, Any]:
    """Return the result of a function, such as `"my_functions:staff_with_role"`.

    The function reads by a `harness`, an object with the environment's operations. It hands over
    its calls in lists: `call_all` makes those of a list, such as `("read", {"path": "/a.md"})`,
    and returns a result or a `CallError` for each. Calls that the trial has already made are
    `known`, each with its result, and not made again. Raises `CallError` if the function declines.
    """

    def refuse_single_call(
        operation: str, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        msg = f"a function makes calls in lists, never {operation} alone"
        raise AssertionError(msg)

    def call_and_copy(calls: Sequence[Call]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for outcome in call_all(calls):
            if isinstance(outcome, CallError):
                outcomes.append(outcome)
            else:
                # A copy, as the child process gets one: the function may change it.
                outcomes.append(dict(outcome))
        return outcomes

    executables = {
        executable.path: executable.summary for executable in tool_schema.executables
    }
    harness = function_harness(
        operations=tool_schema.operations,
        call=refuse_single_call,
        call_all=call_and_copy,
        executables=executables,
        known=known,
    )
    module_name = function.partition(":")[0]
    modules = {module_name: import_module(module_name)}
    return run_function(modules, function, harness, arguments)


class InProcessFunctions:
    """Computes the functions of a recorder's environment in this process.

    It replaces the runner that asks the sandbox's child process. The recorder (which makes the
    calls of a trial and writes them down) makes and records the functions' calls as in a run.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[Any] = ()
    ) -> dict[str, Any]:
        return compute(
            function,
            arguments,
            tool_schema=self._recorder.tool_schema,
            call_all=self._recorder.calls.requested_calls.make_all,
            known=known,
        )


def with_functions_in_process(recorder: Recorder) -> Recorder:
    """Return the same recorder after letting it compute functions in this process."""
    recorder.calls.functions.runner = InProcessFunctions(recorder)
    return recorder


class _CountingCaller:
    """Makes the calls of a function in an environment, and counts them."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.count = 0

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls, each as operation and arguments; return a result or an error for each."""
        self.count += len(calls)
        outcomes: list[Outcome] = []
        for operation, arguments in calls:
            make_call = partial(self._environment.call, operation, dict(arguments))
            try:
                outcomes.append(plain_result(operation, make_call))
            except CallError as error:
                outcomes.append(error)
        return outcomes


def function_result_and_calls(
    environment: Environment, function: str, **arguments: Plain
) -> tuple[dict[str, Any], int]:
    """Return the result of a function that an environment declares, and how many calls the
    function made.

    `function_result_and_calls(shop, "staff_with_role", role="clerk")` ->
    `({"value": 3, "refs": […], "notes": […]}, 4)`. Raises `CallError` if the function declines.
    """
    tool_schema = environment.tool_schema
    declaration = tool_schema.operation(function)
    assert declaration is not None
    caller = _CountingCaller(environment)
    result = compute(
        declaration.finds,
        arguments,
        tool_schema=tool_schema,
        call_all=caller.call_all,
    )
    return result, caller.count
