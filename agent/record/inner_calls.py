"""Tells the calls of a solver from *inner* calls: those that functions of a benchmark make.

A script calls the function `total_fee()`, and the function reads two files. A step has all calls
in one list, in which an inner call has the number of its function's call in `outer`:

    0  total_fee()                    a call of the solver
    1  read("/a.md")    outer 0       an inner call
    2  read("/b.md")    outer 0       an inner call
    3  read("/c.md")                  a call of the solver
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallRecord


def calls_by_function(calls: Iterable[CallRecord]) -> dict[int, list[CallRecord]]:
    """Return the inner calls of a step, by the number of their function's call.

    For the calls above: {0: [read("/a.md"), read("/b.md")]}
    """
    inner_calls: dict[int, list[CallRecord]] = {}
    for call in calls:
        if call.outer is not None:
            inner_calls.setdefault(call.outer, []).append(call)
    return inner_calls


def solver_call_count(calls: Iterable[CallRecord]) -> int:
    """Return how many of a step's calls the solver has sent to the environment.

    Inner calls do not count, because the solver cannot know how many there are.
    """
    count = 0
    for call in calls:
        is_of_solver = call.outer is None
        if is_of_solver and call.state != "not_made":
            count += 1
    return count
