"""The CPU time that the product takes for each input of the fuzzer.

    Measured.call("read /a.csv", lambda: environment.call("read", {"path": "/a.csv"}))

returns the result of the call. The input fails if it took more CPU time than `Measured.max_s`.
"""

import math
import time
from collections.abc import Callable
from typing import Any


class Measured:
    """Measures the CPU time of each input, and remembers the slowest one.

    There is one measurement in the process, for the target that is played at the moment. Call
    `reset` before the first input of a target.
    """

    max_s = math.inf
    """CPU seconds of the calling thread that one input may take.

    `python -m tests.fuzz` sets it, on a quiet machine. Tests of the suite have no such limit.
    """
    slowest_s = 0.0
    """CPU seconds of the slowest input."""
    slowest_input = ""
    """The first characters of the slowest input."""

    @classmethod
    def reset(cls) -> None:
        """Forget the slowest input."""
        cls.slowest_s = 0.0
        cls.slowest_input = ""

    @classmethod
    def call(cls, input_text: str, function: Callable[[], Any]) -> Any:
        """Return the result of a function that handles an input, and check its CPU time.

        `input_text` describes the input in reports. Raises `AssertionError` if the time was too
        long, and otherwise what the function raises.
        """
        started_s = time.thread_time()
        try:
            return function()
        finally:
            cpu_s = time.thread_time() - started_s
            if cpu_s > cls.slowest_s:
                cls.slowest_s = cpu_s
                cls.slowest_input = input_text[:120]
            assert cpu_s < cls.max_s, f"{cpu_s:.2f} s of CPU: {input_text[:300]}"
