"""Runs the functions of a benchmark, each in the process that runs the scripts.

A function is code of the benchmark that scripts call like an operation of the environment. It is
declared with the name of its code:

    Operation("books_by", finds="library.functions:books_by", ...)
    compute(books_by, {"author": "Ann Miller"})   -> {"value": ["/books/b1.json"]}

While it runs, it asks the trial for the calls that it needs: see `InnerCalls`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.function_runner import FunctionRunner
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    error_codes,
)


@dataclass(slots=True)
class FunctionProcess:
    """Runs the functions of one trial's benchmark."""

    pre_call_check: PreCallCheck
    """The function that judges changing calls. It also gets the results of calls that the trial
    has made already, so that it need not ask for them."""
    runner: FunctionRunner | None = None
    """The other process, in which functions run. None if no function can be called."""

    def compute(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> Mapping[str, Plain]:
        """Run a function in its process, and return its result. Raises `CallError`."""
        if self.runner is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        code_name = declared.finds  # `library.functions:books_by`
        known_calls = self.pre_call_check.known_calls_of(declared.name)
        return self.runner.compute(code_name, dict(arguments), known_calls)
