"""Calls of the shop's functions, with the truth about what they should return.

A function such as `stock_at` reads the files of a shop for a model. Of a generated shop the truth
is known, so that a test can make a call and compare:

    call = TrueCall("stock_at", {"products": ["VH-LMP-1"], ...}, is_right=same({...}))
    compare_with_truth(environment, call).verdict  # "right", "wrong" or "declined"
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import CallError, Plain
from tests.support.single_trial import counted_function_result


@dataclass(frozen=True, slots=True)
class TrueCall:
    """A call of a function with the right parameters, and what it should return."""

    function: str
    arguments: Mapping[str, Plain]
    is_right: Callable[[Any], bool]
    """Takes the `value` of the function's result; True if it is the true one."""
    refs: Sequence[str] | None = None
    """The paths that the result should cite, in any order; None if any may be cited."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """How a function's call went."""

    verdict: str
    """"right", "wrong", or "declined" if the function says that it cannot tell."""
    calls: int
    """How many calls of the environment, such as `read`, the function made."""
    details: str
    """What the function returned, or why it declined."""


def compare_with_truth(environment: EcomEnvironment, call: TrueCall) -> CallResult:
    """Make a call and compare what it returns with the truth."""
    try:
        counted = counted_function_result(environment, call.function, **call.arguments)
    except CallError as error:
        return CallResult(verdict="declined", calls=0, details=error.message)
    value = counted.result["value"]
    cited_paths = [ref["path"] for ref in counted.result["refs"]]
    is_right = call.is_right(value)
    if call.refs is not None and sorted(cited_paths) != sorted(call.refs):
        is_right = False
    summary = f"{value} {cited_paths} {counted.result['notes']}"
    return CallResult(
        verdict="right" if is_right else "wrong",
        calls=counted.call_count,
        details=summary[:1_500],  # Enough to see in a failed test what differs.
    )


def same(true_value: object) -> Callable[[Any], bool]:
    """Return a check, for `TrueCall.is_right`, that a value equals the true one."""
    return lambda value: bool(value == true_value)
