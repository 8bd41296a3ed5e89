"""The CPU time that the product takes for each input of the fuzzer.

    meter = CpuMeter(max_s=0.25)
    meter.call("read /a.csv", lambda: environment.call("read", {"path": "/a.csv"}))

The second line returns the result of the call, and fails if it took more than 0.25 s of CPU time.
"""

import math
import time
from collections.abc import Callable
from typing import Any


class CpuMeter:
    """Measures the CPU time of each input, and remembers the slowest one."""

    def __init__(self, *, max_s: float = math.inf) -> None:
        self.max_s = max_s
        """CPU seconds of the calling thread that one input may take."""
        self.slowest_s = 0.0
        """CPU seconds of the slowest input so far."""
        self.slowest_input = ""
        """The first characters of that input."""

    def call(self, input_text: str, function: Callable[[], Any]) -> Any:
        """Return the result of a function that handles an input, and check its CPU time.

        `input_text` describes the input in reports. Raises `AssertionError` if the time was too
        long, and otherwise what the function raises.
        """
        started_s = time.thread_time()
        try:
            return function()
        finally:
            cpu_s = time.thread_time() - started_s
            if cpu_s > self.slowest_s:
                self.slowest_s = cpu_s
                self.slowest_input = input_text[:120]
            assert cpu_s < self.max_s, f"{cpu_s:.2f} s of CPU: {input_text[:300]}"
