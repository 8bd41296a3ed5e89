"""Results of functions that an environment declares, such as `staff_with_role` of a shop.

    function_result(shop, "staff_with_role", role="clerk")
    # {"value": 3, "refs": [{"path": "/proc/staff/emp-4.json", ...}, ...], "notes": []}

In a run, a child process computes a function, and its parent makes the calls by which the function
reads the environment. Here both are the process of the test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from controlplane.agent.evidence import Environment
from controlplane.sandbox.functions import Call, Outcome
from controlplane.sandbox.interface import CallError, Plain, plain_result
from tests.support.functions_here import compute


def function_result(
    environment: Environment, function: str, **arguments: Plain
) -> dict[str, Any]:
    """Return the result of a function. Raises `CallError` if the function declines.

    `function_result(shop, "staff_with_role", role="clerk")` -> `{"value": 3, "refs": [...], ...}`
    """
    return counted_function_result(environment, function, **arguments).result


@dataclass
class CountedResult:
    """The result of a function, and how many calls of the environment it made."""

    result: dict[str, Any]
    call_count: int


def counted_function_result(
    environment: Environment, function: str, **arguments: Plain
) -> CountedResult:
    """Return the result of a function and the number of its calls, such as `read`.

    `counted_function_result(shop, "staff_with_role", role="clerk").call_count` -> 4. Raises
    `CallError` if the function declines.
    """
    declaration = environment.tool_schema.operation(function)
    assert declaration is not None
    calls_made: list[Call] = []

    def make_calls(calls: Sequence[Call]) -> list[Outcome]:
        calls_made.extend(calls)
        return [outcome_of(environment, call) for call in calls]

    result = compute(
        declaration.finds, arguments, environment.tool_schema, call_all=make_calls
    )
    return CountedResult(result, len(calls_made))


def outcome_of(environment: Environment, call: Call) -> Outcome:
    """Make a call, and return its result, or the error with which it failed.

    `outcome_of(shop, ("read", {"path": "/a.md"}))` -> `{"path": "/a.md", "content": "a", ...}`
    """
    operation, arguments = call
    try:
        return plain_result(
            operation, partial(environment.call, operation, dict(arguments))
        )
    except CallError as error:
        return error
