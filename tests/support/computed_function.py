"""Computes a function of a benchmark, such as `stock_at`, in the process of the test.

A function is written in Python and reads the environment by an object, the `harness`:

    def length(harness, path):
        (result,) = harness.side_by_side([("read", {"path": path})])
        return FunctionResult(len(result["content"]))

`compute("my_functions:length", {"path": "/a.md"}, ...)` returns its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from controlplane.sandbox.child.step.harness import function_harness
from controlplane.sandbox.functions import Call, Outcome, run_function
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


def compute(
    function: str,
    arguments: Mapping[str, Plain],
    tool_schema: ToolSchema,
    call_all: Callable[[Sequence[Call]], list[Outcome]],
    calls_before: Sequence[Any] = (),
) -> dict[str, Any]:
    """Return the result of a function: `{"value": 7, "refs": [], "notes": []}`.

    `function` is its module and name. `call_all` makes a list of calls, and returns a result or a
    `CallError` for each. `calls_before` are calls that the trial made before, with their results.
    The function gets these results without a new call: `[("read", {"path": "/a.md"}, {"content":
    "a"})]`. Raises `CallError` if the function declines.
    """

    def call_and_copy(calls: Sequence[Call]) -> list[Outcome]:
        # In a run, the function is in another process, and so gets a copy of each result, which
        # it may change. Here it gets copies, too.
        outcomes: list[Outcome] = []
        for outcome in call_all(calls):
            if isinstance(outcome, CallError):
                outcomes.append(outcome)
            else:
                outcomes.append(dict(outcome))
        return outcomes

    summaries = {tool.path: tool.summary for tool in tool_schema.executables}
    harness = function_harness(
        operations=tool_schema.operations,
        call=_refuse_single_call,
        call_all=call_and_copy,
        executables=summaries,
        known=calls_before,
    )
    module_name, _, _ = function.partition(":")
    imported_modules = {module_name: import_module(module_name)}
    return run_function(imported_modules, function, harness, arguments)


def _refuse_single_call(
    operation: str, positional: list[Any], named: dict[str, Any]
) -> Any:
    msg = f"a function makes its calls by `side_by_side`, never {operation} alone"
    raise AssertionError(msg)
