"""Counts the work of a call, so that a test can tell linear from quadratic work on any machine.

    executed_lines(lambda: forms_of("a_b " * 100))  # 5230
    executed_lines(lambda: forms_of("a_b " * 200))  # 10430: twice the text, twice the work

The number is the same on a slow or busy machine as on a quick one, unlike a duration.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

MOST_WORK_OF_TWICE_THE_SIZE: Final = 3
"""Linear work on an input of twice the size is two times as much, quadratic work four times."""


def executed_lines(call: Callable[[], object]) -> int:
    """Return how many lines of Python a call executes, with those of all functions that it calls.

    A line in a loop counts each time. Work of C code counts as the one line that calls it.
    """
    line_count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        """Python calls this for each function call, and then for each of its lines."""
        nonlocal line_count
        if event == "line":
            line_count += 1
        return trace

    tracer_before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(tracer_before)
    return line_count


def assert_linear(call: Callable[[int], object], size: int) -> None:
    """Assert that the work of a call grows no faster than the size of its input.

    `call(size)` handles an input of that size, such as a text of `size` characters.
    """
    # The first call may load what later ones share. It has an input of its own, because results
    # of the same input may be kept.
    call(size // 2)
    work = executed_lines(lambda: call(size))
    work_of_twice_the_size = executed_lines(lambda: call(2 * size))

    assert work_of_twice_the_size <= MOST_WORK_OF_TWICE_THE_SIZE * work
