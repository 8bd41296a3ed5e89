"""An exception of a host ends the call that it answers, and nothing more.

The host answers calls of scripts. It is code of a benchmark, perhaps of another package, and may
raise anything. The script gets one short error: "look broke: ValueError: no such row".
"""

import pytest

from tests.sandbox.interface.operations.broken_hosts import error_of_broken_host


class ExceptionWithoutText(Exception):
    """An exception with a defect of its own: its text cannot be had."""

    def __str__(self) -> str:
        raise ValueError


class BenchmarkError(Exception):
    """An exception that a benchmark of another package defines."""


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(ValueError("no such row"), id="an exception"),
        pytest.param(ExceptionWithoutText(), id="one that cannot be described"),
        pytest.param(OSError(5, "I/O error"), id="an error of the system"),
        pytest.param(MemoryError(), id="no memory"),
        pytest.param(RecursionError("deep"), id="too much recursion"),
        pytest.param(StopIteration(), id="the end of an iteration"),
        pytest.param(AssertionError(), id="a failed assertion"),
        pytest.param(BenchmarkError("down"), id="an exception of another package"),
    ],
)
def test_a_host_that_raises_fails_its_call(error: Exception) -> None:

    def raise_error() -> object:
        raise error

    call_error = error_of_broken_host(raise_error)

    assert call_error.code == "internal"
    assert call_error.host_broke
    assert call_error.message.startswith("look broke: ")
    assert len(call_error.message) <= 400
