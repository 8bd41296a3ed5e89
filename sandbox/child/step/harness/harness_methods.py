"""The methods of `harness`: one for each declared operation, and `answer`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from controlplane.sandbox.child.step.harness.long_texts import Call, OperationCall
from controlplane.sandbox.child.step.harness.result_types import (
    result_type,
    with_attributes,
)
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.results import parsed_result


def answer_method(answer: Callable[[Any, Any], None]) -> Callable[..., None]:
    """Return `harness.answer`."""

    def submit(scratchpad: Any = None, verify: Any = None) -> None:
        answer(scratchpad, verify)

    text = "Submit the scratchpad's answer. Raises `GateRejection` with what to change."
    return _named(submit, "harness.answer", text)


def operation_method(operation: Operation, name: str, call: Call) -> Callable[..., Any]:
    """Return the method of `harness` that makes calls of an operation."""
    # The class of its results: it says how they print, and which methods they have.
    kind = result_type(operation, call)
    parameters = [parameter.name for parameter in operation.parameters]

    def call_operation(*positional: Any, **named: Any) -> Any:
        try:
            fields = OperationCall(operation, list(positional), named).make(call)
        except TypeError as error:
            msg = f"{error}{_suggested_parameter(named, parameters)}"
            raise TypeError(msg) from None
        # Parse the field that an operation declares as JSON (`Operation.parsed_field`).
        result = parsed_result(operation, fields)
        return with_attributes(result, kind)

    return _named(call_operation, name, operation.summary)


def _suggested_parameter(named: Mapping[str, Any], parameters: list[str]) -> str:
    """Return a suggestion for the first unknown argument: `pth` -> `; did you mean 'path'?`."""
    for name in named:
        if name not in parameters:
            similar_names = difflib.get_close_matches(name, parameters, n=1)
            return f"; did you mean {similar_names[0]!r}?" if similar_names else ""
    return ""


def _named(function: Callable[..., Any], name: str, text: str) -> Callable[..., Any]:
    """Give a function the name and the description that scripts see, and return it."""
    function.__name__ = name
    function.__qualname__ = name
    function.__doc__ = text
    return function
