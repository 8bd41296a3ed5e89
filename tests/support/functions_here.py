"""Computes functions of a benchmark in the process of the test.

A function, such as `stock_at`, is written in Python and reads the environment by an object, the
`harness`:

    def length(harness, path):
        (result,) = harness.side_by_side([("read", {"path": path})])
        return FunctionResult(len(result["content"]))

In a run, a child process computes it, and its calls go to the parent process, which has the
environment. Here both are the same process, and the calls are made directly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.agent.evidence import Recorder
from controlplane.sandbox.interface import Plain
from tests.support.computed_function import compute


class InProcessFunctions:
    """Computes the functions that a trial's scripts call, in place of the child process.

    The trial's recorder makes and records the calls of the functions, as in a run.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[Any] = ()
    ) -> dict[str, Any]:
        """Return the result of a function: `{"value": 7, "refs": [], "notes": []}`.

        `known` are calls that the trial has already made, with their results. The function need
        not make them again.
        """
        make_inner_calls = self._recorder.calls.inner_calls.make_all
        return compute(
            function,
            arguments,
            tool_schema=self._recorder.tool_schema,
            call_all=make_inner_calls,
            calls_before=known,
        )


def with_functions_in_process(recorder: Recorder) -> Recorder:
    """Let a trial's recorder compute functions in this process. Return this recorder."""
    functions = recorder.calls.function_caller.functions
    functions.runner = InProcessFunctions(recorder)  # In a run, it is a sandbox.
    return recorder
