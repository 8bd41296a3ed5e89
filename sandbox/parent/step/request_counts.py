"""Counts the requests of a step, and refuses those beyond its limits."""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import RESOURCE_EXHAUSTED, CallError
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.frames import Forged
from controlplane.sandbox.parent.step.conversation import LimitExceeded

_MAX_REFUSED_REQUESTS: Final = 100
"""The most requests that are refused after the last permitted call of a step.
Then the step is ended, because a script that ignores so many refusals
would not stop by itself."""


class RequestCounts:
    """The numbers of requests in one step."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._requests = 0
        """All requests of the step: calls, citations and answers. The child numbers them."""
        self.calls = 0
        """Calls of the script and its `verify`, also refused ones."""
        self._function_calls = 0
        """Calls of the function of the benchmark that runs now, or ran last."""

    def count_request(self, number: int) -> None:
        """Check that requests are numbered 1, 2, 3 … and that there are not too many.

        Raises `Forged` and `LimitExceeded`.
        """
        next_number = self._requests + 1
        if number != next_number:
            msg = "a repeated or skipped request"
            raise Forged(msg)
        self._requests = next_number

        max_calls = self._limits.step_calls
        if self._requests > max_calls + _MAX_REFUSED_REQUESTS:
            msg = f"the step made more than {max_calls} calls"
            raise LimitExceeded(msg)

    def count_call(self) -> None:
        """Count a call of the script or its `verify`. `check_limits` refuses it if need be."""
        self.calls += 1

    def begin_function(self) -> None:
        """Count the calls of another function from now on."""
        self._function_calls = 0

    def count_function_calls(self, calls: int) -> None:
        """Count calls of the function that runs. Raises `CallError` if there are too many."""
        self._function_calls += calls
        if self._function_calls > bounds.MOST_FUNCTION_CALLS:
            maximum = f"{bounds.MOST_FUNCTION_CALLS} calls"
            text = f"the function needs more than {maximum}: read what it needs by hand"
            raise CallError(RESOURCE_EXHAUSTED, text)

    def check_limits(self, passed_bytes: int) -> None:
        """Raise `CallError` if the step made too many calls, or they passed too many bytes."""
        if self.calls > self._limits.step_calls:
            text = f"a step makes at most {self._limits.step_calls} calls"
            raise CallError(RESOURCE_EXHAUSTED, text)
        if passed_bytes > self._limits.step_bytes:
            text = (
                f"the calls of a step pass at most {self._limits.step_bytes} bytes to and fro; "
                "go on in the next step"
            )
            raise CallError(RESOURCE_EXHAUSTED, text)
