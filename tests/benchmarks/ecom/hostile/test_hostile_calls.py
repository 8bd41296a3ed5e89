"""Operations on files with hostile arguments, such as a pattern that takes long to search.

A call works, or fails with the code of its fault, and has no effect on later calls.
"""

from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.ecom.hostile.tool_failures import harmless_results

pytestmark = pytest.mark.second_tier


class HostileCall(NamedTuple):
    """A call of an operation with hostile arguments."""

    operation: str
    arguments: dict[str, Plain]
    may_overrun: bool = False
    """True if the call may be stopped at a limit of time or size."""


CALLS = {
    "slow pattern": HostileCall(
        "search", {"pattern": "(a+)+$", "root": "/tmp"}, may_overrun=True
    ),
    "pattern of many groups": HostileCall(
        "search", {"pattern": "(" * 5_000 + ")" * 5_000}
    ),
    "pattern of a huge repeat": HostileCall(
        "search", {"pattern": "(?:a{1000}){1000}b"}, may_overrun=True
    ),
    "glob of stars": HostileCall("find", {"name": "*a" * 120 + "b"}, may_overrun=True),
    "long missing name": HostileCall("read", {"path": "/tmp/" + "ab" * 2_000}),
    "deep path": HostileCall("write", {"path": "/x" * 101, "content": ""}),
    "argument of another type": HostileCall("read", {"path": [[["x"]]]}),
    "argument with a long name": HostileCall(
        "read", {"path": "/AGENTS.MD", "z" * 500_000: 1}, may_overrun=True
    ),
    "no operation": HostileCall("s" * 100_000, {}),
}


def error_of(shop: EcomEnvironment, call: HostileCall) -> CallError | None:
    """Make a call, and return the error by which it failed; None if it works."""
    try:
        shop.call(call.operation, call.arguments)
    except CallError as error:
        return error
    return None


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_hostile_call_works_or_fails_by_itself(
    shop: EcomEnvironment, call: HostileCall
) -> None:
    """An engine for patterns that backtracks would search for `(a+)+$` in the file nearly without
    end."""
    text = "a" * 5_000 + "!"
    shop.call("write", {"path": "/tmp/a", "content": text})
    results_before = harmless_results(shop)

    error = error_of(shop, call)

    if error is not None:
        codes = {"invalid_argument", "not_found", "unimplemented"}
        if call.may_overrun:
            codes.add("resource_exhausted")
        assert error.code in codes
        assert len(error.message) <= 1_000
    assert harmless_results(shop) == results_before
    assert shop.call("read", {"path": "/tmp/a"})["content"] == text
